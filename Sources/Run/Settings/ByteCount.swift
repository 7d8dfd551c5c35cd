/// A number of bytes as a person writes it.
enum ByteCount {
    /// Less is a slip of the pen: an empty database takes more.
    static let volumeMin: Int64 = 64 << 20

    /// `107374182400`, `100G`, `100GB`, `100 GiB`: units are of 1024. Nil for anything else, and for more than 64 bits hold.
    static func read(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...18).contains(digits.count), let number = Int64(digits) else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.uppercased()
        let shifts = ["": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50]
        let name =
            unit.hasSuffix("IB")
            ? String(unit.dropLast(2)) : unit.count == 2 && unit.hasSuffix("B") ? String(unit.dropLast()) : unit
        guard let shift = shifts[name], number <= Int64.max >> shift else { return nil }
        return number << shift
    }
}
