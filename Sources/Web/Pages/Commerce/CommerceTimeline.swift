import FoundationEssentials
import Refunds
import Tenants
import Time

/// What happened to a request, oldest first.
struct CommerceTimeline {
    let story: CommerceStory
    let names: AuditNames

    private var request: CommerceRequest { story.request }

    private struct Entry {
        let at: Moment
        let tone: Tone
        let text: String
        var details: [String] = []
    }

    var html: HTML {
        ol(.class("timeline")) {
            for entry in entries {
                li(.class("timeline-item", entry.tone)) {
                    TimeText(entry.at).fullHTML
                    div(.class("timeline-text")) {
                        p { strong { entry.text } }
                        for detail in entry.details { p(.class("quiet")) { detail } }
                    }
                }
            }
        }
    }

    private var entries: [Entry] {
        let all = acts + request.attempts.map(attempt) + story.facts.map(fact)
        // Stable: what happened in one millisecond stays in the order of cause and effect.
        return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private var acts: [Entry] {
        var acts = [
            Entry(
                at: request.askedAt, tone: .plain,
                text: request.submittedAt == request.askedAt ? "Asked by \(asker)" : "Written down by \(asker)",
                details: [request.note].compactMap { $0 })
        ]
        if let at = request.submittedAt, at != request.askedAt {
            acts.append(Entry(at: at, tone: .plain, text: "Handed in by \(submitter)"))
        }
        if let at = request.approvedAt, let person = request.approvedBy {
            acts.append(Entry(at: at, tone: .good, text: "Approved by \(name(person))"))
        }
        if let at = request.cancelledAt {
            let by = request.cancelledBy.map { " by \(name($0))" } ?? ""
            acts.append(Entry(at: at, tone: .plain, text: "Taken back\(by)"))
        }
        return acts
    }

    var asker: String { actor(request.askedBy, request.askedByToken) }

    private var submitter: String { actor(request.submittedBy, request.submittedByToken) }

    private func actor(_ person: PersonID?, _ token: UUID?) -> String {
        if let person { return name(person) }
        return token.map { "the API token \(names.tokens[$0] ?? "that is gone")" } ?? "nobody known"
    }

    func name(_ person: PersonID) -> String { names.people[person.rawValue] ?? "somebody who is gone" }

    private func attempt(_ attempt: CommerceAttempt) -> Entry {
        var details: [String] = []
        let answer = [
            attempt.status.map { "HTTP \($0)" }, attempt.code.map { "code \($0)" }, attempt.message, attempt.trouble,
        ].compactMap { $0 }
        if !answer.isEmpty { details.append(answer.joined(separator: " · ")) }
        if let status = attempt.status, !(200...299).contains(status) {
            let words = CommerceErrorWords(status: status, code: attempt.code, kind: request.kind)
            details.append("\(words.verdict.text): \(words.sentence)")
        }
        return Entry(
            at: attempt.startedAt, tone: CommerceWords.tone(attempt.result), text: CommerceWords.attempt(attempt),
            details: details)
    }

    private func fact(_ fact: CommerceFact) -> Entry {
        let item = fact.sku.map { ": \(story.names[$0] ?? $0)" } ?? ""
        let details = [
            fact.amount.map { MoneyText(milliunits: $0, currency: story.currency).text },
            fact.revokedAt.map { "access ended \(TimeText($0).full) (revocationDate)" },
        ].compactMap { $0 }
        let (tone, text): (Tone, String) =
            switch fact.kind {
            case .refunded: (.good, "Apple refunded\(item)")
            case .declined: (.attention, "Apple declined the refund\(item)")
            case .reversed: (.active, "Apple took the refund back\(item)")
            }
        return Entry(
            at: fact.signedAt, tone: tone, text: text,
            details: details.isEmpty ? [] : [details.joined(separator: " · ")])
    }
}
