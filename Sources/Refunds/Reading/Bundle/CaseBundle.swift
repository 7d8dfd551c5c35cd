import Crypto
import FoundationEssentials
import Tenants
import Time

/// Everything that shows how one case was handled, in one file: what Apple signed, to the byte, what was known, the policy, what was
/// sent and answered, and what became of it. `ops/verify-bundle` checks it on any machine, without this installation.
package struct CaseBundle: Sendable {
    package let fileName: String
    package let bytes: [UInt8]
    /// SHA-256 of the file, as the audit log keeps it.
    package let fingerprint: String

    /// Bytes of signed originals: no case comes near.
    static let originalsBytesMax = 16 << 20

    init(_ story: CaseStory, _ parts: Parts, at now: Moment) {
        var files: [(name: String, content: [UInt8])] = [
            ("case.json", CaseJSON.whole(story)), ("evidence.json", Self.evidence(of: story)),
        ]
        for (number, text) in parts.policies {
            files.append((number == 0 ? "policy-standard.txt" : "policy-version-\(number).txt", Array(text.utf8)))
        }
        for (index, round) in story.rounds.reversed().enumerated() {
            guard let reply = round.reply else { continue }
            files.append(("request-\(index + 1)-sent.json", reply.body))
        }
        if let purchase = story.purchase { files.append(("transaction.json", purchase.fields)) }
        var left = Self.originalsBytesMax
        var present: Set<UUID> = []
        for (index, original) in parts.originals.enumerated() {
            guard let text = original.text, text.count <= left else { continue }
            left -= text.count
            files.append((Self.name(of: original, index + 1), text))
            present.insert(original.id)
        }
        let list = Self.list(of: story, parts, present: present)
        let missing = list.count - present.count
        files.append(("originals.txt", Array(list.joined().utf8)))
        let sums = files.map { "\(Hex.encode(Digest.sha256($0.content)))  \($0.name)\n" }.joined()
        var tar = TarFile(at: now)
        tar.add("README.txt", Array(Self.readme(story, missing: missing, at: now).utf8))
        tar.add("SHA256SUMS", Array(sums.utf8))
        for file in files { tar.add(file.name, file.content) }
        bytes = tar.ended
        fingerprint = Hex.encode(Digest.sha256(bytes))
        fileName = "case-\(story.line.id.text).tar"
    }

    /// What is read beside the story.
    struct Parts {
        struct Original {
            let type: String
            let id: UUID
            /// In compact form, as it was received; nil once it was forgotten.
            let text: [UInt8]?
        }

        /// In the order in which Apple signed them.
        var originals: [Original] = []
        /// By version; 0 is what decides where an app has no policy.
        var policies: [(number: Int, text: String)] = []
    }

    private static func name(of original: Parts.Original, _ number: Int) -> String {
        "notification-\(number)-\(plain(original.type))-\(original.id.text).jws"
    }

    private static func plain(_ type: String) -> String {
        let type = String(
            type.unicodeScalars.filter {
                ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
            }.prefix(40).map(Character.init))
        return type.isEmpty ? "UNNAMED" : type
    }

    /// A line for each notification of Apple's that the case rests on, whether or not its original is in the file:
    /// one that is taken out of it is missed.
    private static func list(of story: CaseStory, _ parts: Parts, present: Set<UUID>) -> [String] {
        var named: Set<UUID> = []
        var lines: [String] = []
        func name(_ id: UUID, _ type: String) {
            guard named.insert(id).inserted else { return }
            lines.append("\(id.text)  \(present.contains(id) ? "present" : "gone")  \(type)\n")
        }
        for original in parts.originals { name(original.id, plain(original.type)) }
        for round in story.rounds.reversed() where round.state != .imported { name(round.id, "CONSUMPTION_REQUEST") }
        for fact in story.facts where fact.source == .notification || fact.source == .history {
            name(fact.id, plain(fact.kind.rawValue.uppercased()))
        }
        return lines
    }

    private static func readme(_ story: CaseStory, missing: Int, at now: Moment) -> String {
        """
        Evidence of one refund case, written by Refund Desk at \(now.iso8601).

        App               \(story.bundleID)
        Environment       \(story.line.environment)\(story.isRehearsal ? " (rehearsal: a simulator stands in Apple's place)" : "")
        Transaction       \(story.line.transactionID)
        Case              \(story.line.id.text)
        State, outcome    \(story.line.state.rawValue), \(story.line.outcome.rawValue)

        notification-…jws     what Apple signed, as it arrived: a JSON Web Signature in compact form each, with its certificates
        originals.txt         every notification that the case rests on, and whether its original is in this file or gone
        transaction.json      the newest verified form of the transaction
        evidence.json         what was known when each request was decided, every report of consent, delivery and use, and when the app's server was asked
        policy-….txt          the policy that decided
        request-N-sent.json   the body that was sent to Apple for request N, to the byte; absent where nothing was sent
        case.json             the case as the API tells it: decisions with their rule, every attempt with Apple's answer, outcome, times
        SHA256SUMS            digests of these files
        \(missing > 0 ? "\n\(missing) of Apple's signed originals are not here: they are kept for a limited time.\n" : "")
        To check it: ops/verify-bundle FILE, from the source of Refund Desk (docs/cases.md). It compares the digests, and verifies each
        signature and its certificates up to Apple's root at the time of signing; it needs Python 3 and the openssl program, and no
        network. Nothing signs what Refund Desk itself says: the digest of this whole file stands in its audit log.

        """
    }

    private static func evidence(of story: CaseStory) -> [UInt8] {
        JSONOut.object([
            (
                "decisions",
                .list(
                    story.rounds.reversed().compactMap { round in
                        round.decision.map { decision in
                            .object([
                                ("notificationUUID", .text(round.id.text)),
                                ("decidedAt", round.decidedAt.map(JSONOut.time)),
                                ("policyVersion", decision.policyVersion.map { .number(Int64($0)) }),
                                ("known", CaseJSON.known(decision)),
                            ])
                        }
                    })
            ),
            (
                "consent",
                .list(
                    story.consents.map { consent in
                        .object([
                            ("of", .text(consent.subject.rawValue)), ("consented", .flag(consent.consented)),
                            ("recordedAt", .time(consent.givenAt)), ("receivedAt", .time(consent.learnedAt)),
                            ("wordingVersion", consent.wording.map(JSONOut.text)),
                            ("source", consent.source.map(JSONOut.text)),
                        ])
                    })
            ),
            (
                "usage",
                .list(
                    story.usage.map { report in
                        .object(
                            CaseJSON.usage(report) + [
                                ("receivedAt", .time(report.learnedAt)), ("source", .text(report.source)),
                            ])
                    })
            ),
            (
                "callbacks",
                .list(
                    story.asks.reversed().map { ask in
                        .object([("notificationUUID", .text(ask.round.text)), ("callback", CaseJSON.callback(ask))])
                    })
            ),
        ]).bytes
    }
}
