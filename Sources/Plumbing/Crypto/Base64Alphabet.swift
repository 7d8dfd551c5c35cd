/// The 64 characters and their values, for both alphabets.
struct Base64Alphabet: Sendable {
    /// Values of characters; 0xFF where a character does not belong to the alphabet.
    let values: [UInt8]
    let characters: [UInt8]

    init(_ sixtyTwo: Character, _ sixtyThree: Character) {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(sixtyTwo)\(sixtyThree)"
        characters = Array(text.utf8)
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in characters.enumerated() { table[Int(character)] = UInt8(value) }
        values = table
    }

    static let standard = Base64Alphabet("+", "/")
    static let url = Base64Alphabet("-", "_")

    /// Characters without padding.
    func encode(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var i = 0
        while i + 3 <= bytes.count {
            let word = UInt32(bytes[i]) << 16 | UInt32(bytes[i + 1]) << 8 | UInt32(bytes[i + 2])
            for shift: UInt32 in [18, 12, 6, 0] { out.append(characters[Int(word >> shift & 63)]) }
            i += 3
        }
        switch bytes.count - i {
        case 1:
            out.append(characters[Int(bytes[i] >> 2)])
            out.append(characters[Int(bytes[i] & 3) << 4])
        case 2:
            out.append(characters[Int(bytes[i] >> 2)])
            out.append(characters[Int(bytes[i] & 3) << 4 | Int(bytes[i + 1] >> 4)])
            out.append(characters[Int(bytes[i + 1] & 15) << 2])
        default: break
        }
        return out
    }

    /// How many bytes so many characters stand for; nil where no text has that length.
    static func decodedCount(_ characters: Int) -> Int? {
        characters % 4 == 1 ? nil : characters / 4 * 3 + [0, 0, 1, 2][characters % 4]
    }

    /// Writes the bytes of unpadded text; false at the first character outside the alphabet, and
    /// where bits that stand for nothing are set (each byte string has one spelling).
    /// - Parameter out: has room for `decodedCount` bytes.
    func decode(_ text: borrowing Span<UInt8>, into out: inout MutableSpan<UInt8>) -> Bool {
        unsafe values.withUnsafeBufferPointer { table in
            unsafe text.withUnsafeBufferPointer { text in
                unsafe out.withUnsafeMutableBufferPointer { out in
                    unsafe Self.decode(text, table, out)
                }
            }
        }
    }

    // Bounds: four characters are read while four are left, and three bytes are written for them;
    // `decodedCount` of the text is the size of `out`.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt8>,
        _ out: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        precondition(decodedCount(text.count) == out.count)
        var seen: UInt8 = 0
        var i = 0
        var o = 0
        while i + 4 <= text.count {
            let a = unsafe table[Int(text[i])]
            let b = unsafe table[Int(text[i + 1])]
            let c = unsafe table[Int(text[i + 2])]
            let d = unsafe table[Int(text[i + 3])]
            seen |= a | b | c | d
            unsafe out[o] = a << 2 | b >> 4
            unsafe out[o + 1] = b << 4 | c >> 2
            unsafe out[o + 2] = c << 6 | d
            i += 4
            o += 3
        }
        switch text.count - i {
        case 2:
            let a = unsafe table[Int(text[i])]
            let b = unsafe table[Int(text[i + 1])]
            seen |= a | b | (b & 0x0F == 0 ? 0 : 0xFF)
            unsafe out[o] = a << 2 | b >> 4
        case 3:
            let a = unsafe table[Int(text[i])]
            let b = unsafe table[Int(text[i + 1])]
            let c = unsafe table[Int(text[i + 2])]
            seen |= a | b | c | (c & 0x03 == 0 ? 0 : 0xFF)
            unsafe out[o] = a << 2 | b >> 4
            unsafe out[o + 1] = b << 4 | c >> 2
        default: break
        }
        return seen & 0xC0 == 0
    }

    func decode(_ text: borrowing Span<UInt8>) -> [UInt8]? {
        guard let count = Self.decodedCount(text.count) else { return nil }
        var isValid = false
        let bytes = unsafe values.withUnsafeBufferPointer { table in
            unsafe text.withUnsafeBufferPointer { text in
                unsafe [UInt8](unsafeUninitializedCapacity: count) { out, filled in
                    unsafe isValid = Self.decode(
                        text, table, UnsafeMutableBufferPointer(rebasing: out[0..<count]))
                    filled = count
                }
            }
        }
        return isValid ? bytes : nil
    }
}
