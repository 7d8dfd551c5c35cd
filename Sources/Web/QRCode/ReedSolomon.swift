/// Check bytes over GF(256) with the polynomial 0x11D, as QR codes have them (ISO/IEC 18004, 7.5).
enum ReedSolomon {
    /// Powers of 2, and their logarithms.
    private static let (powers, logarithms): ([UInt8], [Int]) = {
        var (powers, logarithms) = ([UInt8](repeating: 0, count: 255), [Int](repeating: 0, count: 256))
        var value = 1
        for exponent in 0..<255 {
            powers[exponent] = UInt8(value)
            logarithms[value] = exponent
            value <<= 1
            if value > 255 { value ^= 0x11D }
        }
        return (powers, logarithms)
    }()

    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        a == 0 || b == 0 ? 0 : powers[(logarithms[Int(a)] + logarithms[Int(b)]) % 255]
    }

    static func checks(of data: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        // (x − 2⁰)(x − 2¹)…, highest power first, without its leading one.
        var generator: [UInt8] = [1]
        for exponent in 0..<count {
            var next = generator + [0]
            for (index, factor) in generator.enumerated() { next[index + 1] ^= product(factor, powers[exponent]) }
            generator = next
        }
        var rest = [UInt8](repeating: 0, count: count)
        for byte in data {
            let lead = byte ^ rest[0]
            rest.removeFirst()
            rest.append(0)
            for index in 0..<count { rest[index] ^= product(generator[index + 1], lead) }
        }
        return rest
    }
}
