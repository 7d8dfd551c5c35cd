/// One step of the schema's history.
package struct Migration: Sendable {
    /// 1, 2, 3, …
    package let version: Int
    /// What the step is about: `tenants`.
    package let name: String
    package let sql: String
    /// The oldest release that can still work with the schema after this step.
    package let minimumRelease: Int

    package init(version: Int, name: String, sql: String, minimumRelease: Int) {
        self.version = version
        self.name = name
        self.sql = sql
        self.minimumRelease = minimumRelease
    }

    /// Of the text, so that a step that was applied and then edited is noticed.
    ///
    /// FNV-1a of 64 bits, twice with different starts: it guards against mistakes, not against malice.
    package var checksum: String {
        func hash(_ start: UInt64) -> String {
            var value = start
            for byte in sql.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
            let hex = String(value, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }
        return hash(0xCBF2_9CE4_8422_2325) + hash(0x9AE1_6A3B_2F90_404F)
    }
}
