import Crypto
import Postgres
import Time

/// Codes for the day the second factor is lost: 80 random bits each, stored as digests, each good once.
enum RecoveryCodes {
    static let count = 10
    private static let bytes = 10

    /// Makes new ones; those of before are void.
    static func make(for person: PersonID, at now: Moment, in tx: Transaction) async throws -> [String] {
        try await forget(of: person, in: tx)
        let codes = (0..<count).map { _ in Base32.encode(Random.bytes(bytes).span) }
        try await tx.execute(
            """
            insert into tenants.recovery_codes (code_sha256, person_id, created_at)
            select code, \(person.rawValue), \(now)
            from unnest(\(codes.map { digest($0, of: person) })::bytea[]) as x (code)
            """)
        return codes.map(spaced)
    }

    static func left(of person: PersonID, in tx: Transaction) async throws -> Int {
        try await tx.rows(
            """
            select code_sha256
            from tenants.recovery_codes
            where person_id = \(person.rawValue) and used_at is null
            limit 100
            """
        ).count
    }

    /// Uses one up. False for a wrong or used one.
    static func use(_ typed: String, of person: PersonID, at now: Moment, in tx: Transaction) async throws -> Bool {
        guard let code = normal(typed) else { return false }
        return try await tx.execute(
            """
            update tenants.recovery_codes set used_at = \(now)
            where code_sha256 = \(digest(code, of: person)) and person_id = \(person.rawValue) and used_at is null
            """) == 1
    }

    static func forget(of person: PersonID, in tx: Transaction) async throws {
        try await tx.execute("delete from tenants.recovery_codes where person_id = \(person.rawValue)")
    }

    private static func digest(_ code: String, of person: PersonID) -> [UInt8] {
        Digest.sha256(Array("\(person) \(code)".utf8))
    }

    /// `ABCD-EFGH-IJKL-MNOP`
    private static func spaced(_ code: String) -> String {
        var text = ""
        for (index, letter) in code.enumerated() {
            if index > 0, index % 4 == 0 { text += "-" }
            text.append(letter)
        }
        return text
    }

    /// As it was printed, however it was typed: digits that the alphabet lacks are the letters they look like.
    private static func normal(_ typed: String) -> String? {
        var code = ""
        for letter in typed.uppercased() where letter != "-" && !letter.isWhitespace {
            switch letter {
            case "0": code.append("O")
            case "1": code.append("I")
            case "8": code.append("B")
            case "A"..."Z", "2"..."7": code.append(letter)
            default: return nil
            }
            if code.count > 16 { return nil }
        }
        return code.count == 16 ? code : nil
    }
}
