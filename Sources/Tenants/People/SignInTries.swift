import Crypto
import FoundationEssentials
import Postgres
import Time

/// How often somebody tried to sign in lately: by person, by network address, and by both together.
///
/// Only digests of the two are kept. A stranger who tries one person from many addresses is stopped later than one who
/// tries from one address, so that a person is not locked out by a single nuisance.
struct SignInTries: Sendable {
    static let window = Duration.minutes(15)
    static let pairMax = 10
    static let personMax = 50
    static let addressMax = 100

    private let subjects: [(digest: [UInt8], max: Int)]

    init(email: String, address: String) {
        let person = "person \(email.lowercased())"
        let network = "address \(Self.network(address))"
        subjects = [
            (Self.digest(person + "\n" + network), Self.pairMax), (Self.digest(person), Self.personMax),
            (Self.digest(network), Self.addressMax),
        ].sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }

    /// Counts one try; the time to wait when there were too many in this window.
    func count(at now: Moment, in database: Database) async throws -> Duration? {
        let start = Self.windowStart(now)
        // One order of rows for all, so that two tries at once cannot wait for each other in a circle.
        let counted = try await database.rows(
            .house,
            """
            insert into tenants.sign_in_failures as f (subject_sha256, window_start, n)
            select subject, \(start), 1
            from unnest(\(subjects.map(\.digest))::bytea[]) as x (subject)
            order by subject
            on conflict (subject_sha256, window_start) do update set n = least(f.n + 1, 1000000)
            returning subject_sha256, n
            """)
        for row in counted {
            let digest: [UInt8] = try row("subject_sha256")
            let n: Int32 = try row("n")
            if let subject = subjects.first(where: { $0.digest == digest }), Int(n) > subject.max {
                return start + Self.window - now
            }
        }
        return nil
    }

    /// A right password takes its own try back, and the count of this person from this address.
    func forgive(at now: Moment, in tx: Transaction) async throws {
        let start = Self.windowStart(now)
        for subject in subjects {
            let left = subject.max == Self.pairMax ? 0 : 1
            try await tx.execute(
                """
                update tenants.sign_in_failures set n = case when \(left)::int = 0 then 0 else greatest(n - 1, 0) end
                where subject_sha256 = \(subject.digest) and window_start = \(start)
                """)
        }
    }

    private static func windowStart(_ now: Moment) -> Moment {
        Moment(milliseconds: now.milliseconds - now.milliseconds % window.wholeMilliseconds)
    }

    private static func digest(_ text: String) -> [UInt8] { Digest.sha256(Array(text.utf8)) }

    /// An IPv6 customer owns 2^64 addresses: the first four groups stand for all of them.
    static func network(_ address: String) -> String {
        guard address.contains(":") else { return address }
        let text = address.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)[0].lowercased()
        let halves = text.components(separatedBy: "::")
        var groups = halves[0].split(separator: ":").map(String.init)
        if halves.count == 2 {
            let tail = halves[1].split(separator: ":")
            while groups.count + tail.count < 8 { groups.append("0") }
            groups += tail.map(String.init)
        }
        return groups.prefix(4).map { String($0.drop { $0 == "0" }) }.joined(separator: ":")
    }
}
