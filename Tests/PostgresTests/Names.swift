import Postgres

extension SQL.StringInterpolation {
    /// A name that a test made up, as an identifier.
    mutating func appendInterpolation(name: String) {
        precondition(name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        appendLiteral(name)
    }
}
