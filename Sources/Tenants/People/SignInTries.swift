import Crypto
import FoundationEssentials
import Postgres
import Time

/// How often somebody tried lately: to sign in, by person, by network address, and by both together; or to guess a code.
///
/// Only digests of the two are kept. A stranger who tries one person from many addresses is stopped later than one who
/// tries from one address, so that a person is not locked out by a single nuisance.
struct SignInTries: Sendable {
    static let window = Duration.minutes(15)
    static let pairMax = 10
    static let personMax = 50
    static let addressMax = 100

    /// Codes have six digits only: so many wrong ones in a window, and in a day, whatever the address.
    static let codesMax = 10
    static let codesADayMax = 40
    static let challengesMax = 100

    private struct Subject {
        let digest: [UInt8]
        let max: Int
        var window = SignInTries.window
        /// What a right answer leaves of the count: nothing, or all but itself.
        var isClearedBySuccess = false
    }

    private let subjects: [Subject]

    private init(_ subjects: [Subject]) {
        // One order of rows for all, so that two tries at once cannot wait for each other in a circle.
        self.subjects = subjects.sorted { $0.digest.lexicographicallyPrecedes($1.digest) }
    }

    init(email: String, address: String) {
        let person = "person \(email.lowercased())"
        let network = "address \(Self.network(address))"
        self.init([
            Subject(
                digest: Self.digest(person + "\n" + network), max: Self.pairMax, isClearedBySuccess: true),
            Subject(digest: Self.digest(person), max: Self.personMax),
            Subject(digest: Self.digest(network), max: Self.addressMax),
        ])
    }

    /// Guesses at the codes of a person.
    static func codes(of person: PersonID) -> SignInTries {
        SignInTries([
            Subject(digest: digest("codes \(person)"), max: codesMax, isClearedBySuccess: true),
            Subject(
                digest: digest("codes a day \(person)"), max: codesADayMax, window: .days(1), isClearedBySuccess: true),
        ])
    }

    /// Challenges for passkeys, which anybody may ask for.
    static func challenges(from address: String) -> SignInTries {
        SignInTries([Subject(digest: digest("challenges \(network(address))"), max: challengesMax)])
    }

    /// Counts one try; the time to wait when there were too many in this window.
    func count(at now: Moment, in database: Database) async throws -> Duration? {
        let counted = try await database.rows(
            .house,
            """
            insert into tenants.sign_in_failures as f (subject_sha256, window_start, n)
            select subject, start, 1
            from unnest(\(subjects.map(\.digest))::bytea[], \(subjects.map { Self.start(of: $0.window, now) })::timestamptz[])
              as x (subject, start)
            order by subject
            on conflict (subject_sha256, window_start) do update set n = least(f.n + 1, 1000000)
            returning subject_sha256, n
            """)
        var wait: Duration?
        for row in counted {
            let digest: [UInt8] = try row("subject_sha256")
            let n: Int32 = try row("n")
            if let subject = subjects.first(where: { $0.digest == digest }), Int(n) > subject.max {
                let left = Self.start(of: subject.window, now) + subject.window - now
                wait = max(wait ?? left, left)
            }
        }
        return wait
    }

    /// A right answer takes its own try back, and the whole count where it is known to be the same person's.
    func forgive(at now: Moment, in tx: Transaction) async throws {
        for subject in subjects {
            try await tx.execute(
                """
                update tenants.sign_in_failures
                set n = case when \(subject.isClearedBySuccess) then 0 else greatest(n - 1, 0) end
                where subject_sha256 = \(subject.digest) and window_start = \(Self.start(of: subject.window, now))
                """)
        }
    }

    private static func start(of window: Duration, _ now: Moment) -> Moment {
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
