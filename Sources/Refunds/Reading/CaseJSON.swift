import AppStore
import FoundationEssentials
import Time

/// A case as the API gives it. Names are Apple's where Apple has one; times are milliseconds.
enum CaseJSON {
    static func list(_ stories: [CaseStory], next: ListCursor?) -> [UInt8] {
        JSONOut.object([
            ("cases", .list(stories.map { .object(members(of: $0)) })), ("nextCursor", next.map { .text($0.text) }),
        ]).bytes
    }

    static func whole(_ story: CaseStory) -> [UInt8] {
        JSONOut.object(
            members(of: story) + [
                ("namedCustomer", story.naming.map(naming)), ("timeline", .list(story.timeline.map(entry))),
            ]
        ).bytes
    }

    /// Who was named as the customer of a purchase that names none.
    private static func naming(_ naming: CustomerNaming) -> JSONOut {
        .object([
            ("appAccountToken", .text(naming.customer)), ("source", .text(naming.by.rawValue)),
            ("note", naming.note.isEmpty ? nil : .text(naming.note)), ("namedBy", .text(naming.name)),
            ("at", .time(naming.at)),
        ])
    }

    private static func members(of story: CaseStory) -> [(String, JSONOut?)] {
        let line = story.line
        let newest = story.rounds.first
        return [
            ("id", .text(line.id.text)), ("bundleId", .text(story.bundleID)), ("environment", .text(line.environment)),
            ("rehearsal", .flag(story.isRehearsal)),
            ("transactionId", .text(line.transactionID)), ("originalTransactionId", .text(line.originalTransactionID)),
            ("productId", .text(line.productID)), ("appAccountToken", line.customer.map(JSONOut.text)),
            ("price", line.price.map(JSONOut.number)), ("currency", line.currency.map(JSONOut.text)),
            ("purchaseDate", story.purchase?.purchasedAt.map(JSONOut.time)), ("state", .text(line.state.rawValue)),
            ("stateReason", line.stateReason.map(JSONOut.text)), ("outcome", .text(line.outcome.rawValue)),
            ("reason", line.reason.map(JSONOut.text)), ("deadline", line.deadline.map(JSONOut.time)),
            ("late", newest.flatMap { $0.isLate ? .flag(true) : nil }),
            ("heldUntil", newest?.holdUntil.map(JSONOut.time)),
            ("policyVersion", newest?.decision?.policyVersion.map { .number(Int64($0)) }),
            ("assigned", .flag(line.assignee != nil)),
            ("deliveries", newest.map { .number(Int64($0.deliveries)) }), ("reply", newest?.reply.map(reply)),
            ("revocation", revocation(of: story)),
            (
                "requests",
                .list(story.rounds.map { round in request(round, story.asks.first { $0.round == round.id }) })
            ),
        ]
    }

    private static func request(_ round: CaseStory.Round, _ ask: CaseStory.Ask?) -> JSONOut {
        .object([
            ("notificationUUID", .text(round.id.text)), ("signedDate", .time(round.requestedAt)),
            ("deadline", .time(round.deadline)), ("deliveries", .number(Int64(round.deliveries))),
            ("state", .text(round.state.rawValue)), ("stateReason", round.stateReason.map(JSONOut.text)),
            ("reason", round.reason.map(JSONOut.text)), ("late", round.isLate ? .flag(true) : nil),
            ("receivedAt", .time(round.firstReceivedAt)), ("decision", round.decision.map { decision($0, of: round) }),
            ("heldUntil", round.holdUntil.map(JSONOut.time)), ("hold", hold(round)),
            ("callback", ask.map(callback)), ("reply", round.reply.map(reply)),
        ])
    }

    private static func decision(_ decision: Decision, of round: CaseStory.Round) -> JSONOut {
        .object([
            ("rule", decision.row.map { .number(Int64($0)) }), ("situation", .text(decision.situation)),
            ("withheld", decision.withheld.map { .text($0.rawValue) }),
            ("refundPreference", decision.preference.map { .text($0.rawValue) }),
            ("heldOutPreference", decision.heldOut.map { .text($0.rawValue) }),
            ("fixedFor", decision.override.map { .text($0.reason) }),
            ("decidedAt", round.decidedAt.map(JSONOut.time)),
            ("policyVersion", decision.policyVersion.map { .number(Int64($0)) }), ("known", known(decision)),
            ("remarks", decision.remarks.isEmpty ? nil : .list(decision.remarks.map(JSONOut.text))),
        ])
    }

    static func known(_ decision: Decision) -> JSONOut {
        .list(
            decision.saw.map { known in
                .object([
                    ("name", .text(known.name)), ("value", known.value.map(JSONOut.text) ?? .null),
                    ("source", known.source.map(JSONOut.text)), ("at", known.at.map(JSONOut.time)),
                ])
            })
    }

    /// That a person was asked, and what they said; nil where nobody was.
    private static func hold(_ round: CaseStory.Round) -> JSONOut? {
        guard let until = round.askedUntil else { return nil }
        return .object([
            ("until", .time(until)), ("isHeld", .flag(round.state == .held)),
            ("otherwise", round.decision?.hold.map { .text($0.otherwise) }),
            ("answeredAt", round.answer.map { .time($0.moment) }),
            ("answeredBy", round.answer.map { .text($0.name) }),
            ("choice", round.answer.map { .text($0.choice.rawValue) }),
            ("reason", round.answer.map { .text($0.reason) }),
        ])
    }

    /// When the app's server was asked about the request, and what came of it.
    static func callback(_ ask: CaseStory.Ask) -> JSONOut {
        .object([
            ("state", .text(ask.state.rawValue)), ("askedAt", .time(ask.askedAt)), ("waitUntil", .time(ask.waitUntil)),
            ("endedAt", ask.endedAt.map(JSONOut.time)), ("tries", .number(Int64(ask.tries))),
            ("attempts", .list(ask.each.map { attempt($0, isLost: ask.isLost($0)) })),
        ])
    }

    private static func attempt(_ one: CaseStory.Ask.Try, isLost: Bool) -> JSONOut {
        .object([
            ("number", .number(Int64(one.number))), ("startedAt", .time(one.begunAt)),
            ("endedAt", one.endedAt.map(JSONOut.time)),
            ("result", isLost ? .text("unknown") : one.result.map { .text($0.rawValue) }),
            ("status", one.status.map { .number(Int64($0)) }), ("trouble", one.why.map(JSONOut.text)),
        ])
    }

    /// A report of delivery or use, without when and by whom it came.
    static func usage(_ report: CaseStory.UsageReport) -> [(String, JSONOut?)] {
        [
            ("deliveryStatus", report.deliveryStatus.map(JSONOut.text)),
            ("consumptionPercentage", report.share.map { .number(Int64($0)) }),
            ("sampleContentProvided", report.sampleContent.map(JSONOut.flag)),
            ("creditsUsed", report.credits.map { .number($0.used) }),
            ("creditsGranted", report.credits.map { .number($0.granted) }),
            ("itemsUsed", report.items.map { .number($0.used) }),
            ("itemsGranted", report.items.map { .number($0.granted) }), ("observedAt", .time(report.observedAt)),
        ]
    }

    /// `status` and `sentAt` are those of the attempt that counts: the accepted one, else the last.
    private static func reply(_ reply: CaseStory.Reply) -> JSONOut {
        .object([
            ("version", .number(Int64(reply.api))), ("body", .text(String(decoding: reply.body, as: UTF8.self))),
            ("status", reply.decisive?.status.map { .number(Int64($0)) }),
            ("sentAt", reply.decisive.map { .time($0.startedAt) }), ("attempts", .list(reply.attempts.map(attempt))),
        ])
    }

    private static func attempt(_ attempt: CaseStory.Attempt) -> JSONOut {
        .object([
            ("number", .number(Int64(attempt.number))), ("startedAt", .time(attempt.startedAt)),
            ("endedAt", attempt.endedAt.map(JSONOut.time)), ("result", attempt.result.map { .text($0.rawValue) }),
            ("status", attempt.status.map { .number(Int64($0)) }),
            ("errorCode", attempt.appleCode.map(JSONOut.number)),
            ("errorMessage", attempt.appleMessage.map(JSONOut.text)),
            ("appleRequestId", attempt.appleRequestID.map(JSONOut.text)),
            ("trouble", attempt.error.map(JSONOut.text)), ("retryAt", attempt.retryAt.map(JSONOut.time)),
        ])
    }

    /// Absent where nothing is revoked now: a reversal takes it away.
    private static func revocation(of story: CaseStory) -> JSONOut? {
        let fact = story.revocation
        let purchase = story.line.outcome == .reversed ? nil : story.purchase
        let items = (purchase?.items ?? []).filter { $0.revokedAt != nil || $0.refundedAmount != nil }
        guard let date = fact?.revokedAt ?? purchase?.revokedAt ?? items.compactMap(\.revokedAt).max() else {
            return nil
        }
        return .object([
            ("date", .time(date)),
            ("reason", (fact?.revocationReason ?? purchase?.revocationReason).map { .number(Int64($0)) }),
            ("type", (fact?.revocationType ?? purchase?.revocationType).map(JSONOut.text)),
            ("percentage", (fact?.revocationShare ?? purchase?.revocationShare).map { .number(Int64($0)) }),
            (
                "items",
                items.isEmpty
                    ? nil
                    : .list(
                        items.map { item in
                            .object([
                                ("SKU", .text(item.sku)), ("revocationDate", item.revokedAt.map(JSONOut.time)),
                                ("refundAmount", item.refundedAmount.map(JSONOut.number)),
                            ])
                        })
            ),
        ])
    }

    private static func entry(_ entry: TimelineEntry) -> JSONOut {
        var members: [(String, JSONOut?)] = [("at", .time(entry.at)), ("kind", .text(entry.event.kind))]
        switch entry.event {
        case .requested(let round):
            members += [
                ("notificationUUID", .text(round.id.text)), ("reason", round.reason.map(JSONOut.text)),
                ("receivedAt", .time(round.firstReceivedAt)), ("deliveries", .number(Int64(round.deliveries))),
            ]
        case .asked(let round), .unanswered(let round):
            members += [
                ("notificationUUID", .text(round.id.text)), ("until", round.askedUntil.map(JSONOut.time)),
            ]
        case .callback(let stretch):
            members += [
                ("notificationUUID", .text(stretch.round.text)), ("tries", .number(Int64(stretch.count))),
                ("until", .time(stretch.last.endedAt ?? stretch.last.begunAt)),
                ("attempt", attempt(stretch.last, isLost: stretch.isLost)),
            ]
        case .answered(let answer, let round):
            members += [
                ("notificationUUID", .text(round.id.text)), ("answeredBy", .text(answer.name)),
                ("choice", .text(answer.choice.rawValue)), ("reason", .text(answer.reason)),
            ]
        case .decided(let round), .withheld(let round), .superseded(let round), .missed(let round):
            members += [
                ("notificationUUID", .text(round.id.text)), ("stateReason", round.stateReason.map(JSONOut.text)),
                ("situation", round.decision.map { .text($0.situation) }),
            ]
        case .sent(let attempt, let round):
            members += [("notificationUUID", .text(round.id.text)), ("attempt", self.attempt(attempt))]
        case .apple(let fact):
            members += [
                ("id", .text(fact.id.text)), ("source", .text(fact.source.rawValue)),
                ("learnedAt", .time(fact.learnedAt)), ("revocationDate", fact.revokedAt.map(JSONOut.time)),
                ("revocationType", fact.revocationType.map(JSONOut.text)),
                ("revocationPercentage", fact.revocationShare.map { .number(Int64($0)) }),
            ]
        case .consent(let consent):
            members += [
                ("consented", .flag(consent.consented)), ("recordedAt", .time(consent.givenAt)),
                ("wordingVersion", consent.wording.map(JSONOut.text)), ("source", consent.source.map(JSONOut.text)),
            ]
        case .usage(let report): members += usage(report) + [("source", .text(report.source))]
        case .remark(let remark): members += [("remark", .text(remark.kind))]
        }
        return .object(members)
    }
}
