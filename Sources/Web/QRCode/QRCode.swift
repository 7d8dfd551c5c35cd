/// A QR code of a short text: byte mode, error correction level M, versions 1 to 15 (412 bytes).
///
/// Source: ISO/IEC 18004:2015.
struct QRCode {
    /// Modules on each side.
    private(set) var side: Int
    /// Rows from the top; true is dark.
    private(set) var modules: [[Bool]]
    /// Finders, timing, alignment, format and version: not for data, not masked.
    private var isFixed: [[Bool]]

    /// Per version from 1 on, level M: check bytes in a block, and blocks (table 9).
    private static let checksOfBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24]
    private static let blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10]

    /// Nil for a text that is too long.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let fits = (1...Self.blocks.count).first { version in
            4 + (version < 10 ? 8 : 16) + bytes.count * 8 <= Self.dataBytes(version) * 8
        }
        guard let version = fits else { return nil }
        side = 17 + 4 * version
        modules = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
        isFixed = modules
        drawFixed(version)
        drawData(Self.codewords(bytes, version))
        let unmasked = self
        // The mask that leaves the picture easiest to read.
        var best = Int.max
        for mask in 0..<8 {
            var candidate = unmasked
            candidate.apply(mask)
            candidate.drawFormat(mask)
            let penalty = candidate.penalty
            if penalty < best { (best, self) = (penalty, candidate) }
        }
    }

    /// The dark modules as one path, with the four light modules around that the standard wants.
    var path: String {
        var steps = ""
        for y in 0..<side {
            var x = 0
            while x < side {
                let start = x
                while x < side, modules[y][x] { x += 1 }
                if x > start { steps += "M\(start + 4) \(y + 4)h\(x - start)v1h-\(x - start)z" } else { x += 1 }
            }
        }
        return steps
    }

    var sideWithBorder: Int { side + 8 }

    // MARK: Bytes

    /// Modules that are left for data and checks, in bytes.
    private static func allBytes(_ version: Int) -> Int {
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let marks = version / 7 + 2
            modules -= (25 * marks - 10) * marks - 55
            if version >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private static func dataBytes(_ version: Int) -> Int {
        allBytes(version) - checksOfBlock[version - 1] * blocks[version - 1]
    }

    private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        var bits = Bits()
        bits.add(0b0100, 4)
        bits.add(bytes.count, version < 10 ? 8 : 16)
        for byte in bytes { bits.add(Int(byte), 8) }
        let room = dataBytes(version)
        bits.add(0, min(4, room * 8 - bits.count))
        bits.add(0, (8 - bits.count % 8) % 8)
        var data = bits.bytes
        while data.count < room { data.append((data.count - bits.bytes.count) % 2 == 0 ? 0xEC : 0x11) }

        let (count, checks) = (blocks[version - 1], checksOfBlock[version - 1])
        let (short, long) = (room / count, room % count)
        var (parts, sums): ([ArraySlice<UInt8>], [[UInt8]]) = ([], [])
        var start = 0
        for block in 0..<count {
            // The last blocks are one byte longer.
            let end = start + short + (block >= count - long ? 1 : 0)
            parts.append(data[start..<end])
            sums.append(ReedSolomon.checks(of: data[start..<end], count: checks))
            start = end
        }
        var all: [UInt8] = []
        for index in 0...short {
            for part in parts where index < part.count { all.append(part[part.startIndex + index]) }
        }
        for index in 0..<checks { for sum in sums { all.append(sum[index]) } }
        return all
    }

    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private(set) var count = 0

        mutating func add(_ value: Int, _ width: Int) {
            for place in (0..<width).reversed() {
                if count % 8 == 0 { bytes.append(0) }
                if value >> place & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
                count += 1
            }
        }
    }

    // MARK: Modules

    private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
        modules[y][x] = isDark
        isFixed[y][x] = true
    }

    private mutating func drawFixed(_ version: Int) {
        for index in 0..<side {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
        for (cx, cy) in [(3, 3), (side - 4, 3), (3, side - 4)] {
            for y in max(0, cy - 4)...min(side - 1, cy + 4) {
                for x in max(0, cx - 4)...min(side - 1, cx + 4) {
                    let ring = max(abs(x - cx), abs(y - cy))
                    fix(x, y, ring != 2 && ring != 4)
                }
            }
        }
        let marks = Self.marks(version, side)
        for cy in marks {
            for cx in marks {
                // Three of the corners hold finders.
                if (cx == 6 && cy == 6) || (cx == 6 && cy == side - 7) || (cx == side - 7 && cy == 6) { continue }
                for y in cy - 2...cy + 2 {
                    for x in cx - 2...cx + 2 { fix(x, y, max(abs(x - cx), abs(y - cy)) != 1) }
                }
            }
        }
        // Held free; each mask writes its own.
        drawFormat(0)
        if version >= 7 {
            var rest = version
            for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
            let bits = version << 12 | rest
            for index in 0..<18 {
                let (near, far) = (index / 3, side - 11 + index % 3)
                fix(far, near, bits >> index & 1 == 1)
                fix(near, far, bits >> index & 1 == 1)
            }
        }
    }

    /// Centres of the alignment marks in both directions (annex E).
    private static func marks(_ version: Int, _ side: Int) -> [Int] {
        guard version >= 2 else { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { side - 7 - $0 * step }.reversed()
    }

    private mutating func drawFormat(_ mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        let isDark = { (index: Int) in bits >> index & 1 == 1 }
        for index in 0..<6 { fix(8, index, isDark(index)) }
        fix(8, 7, isDark(6))
        fix(8, 8, isDark(7))
        fix(7, 8, isDark(8))
        for index in 9..<15 { fix(14 - index, 8, isDark(index)) }
        for index in 0..<8 { fix(side - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { fix(8, side - 15 + index, isDark(index)) }
        fix(8, side - 8, true)
    }

    /// In pairs of columns from the right, up and down in turn, past the column of the timing.
    private mutating func drawData(_ bytes: [UInt8]) {
        var next = 0
        var right = side - 1
        var isUpward = true
        while right > 0 {
            if right == 6 { right = 5 }
            for step in 0..<side {
                let y = isUpward ? side - 1 - step : step
                for x in [right, right - 1] where !isFixed[y][x] && next < bytes.count * 8 {
                    modules[y][x] = bytes[next / 8] >> (7 - UInt8(next % 8)) & 1 == 1
                    next += 1
                }
            }
            right -= 2
            isUpward.toggle()
        }
    }

    private mutating func apply(_ mask: Int) {
        for y in 0..<side {
            for x in 0..<side where !isFixed[y][x] {
                let isFlipped =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if isFlipped { modules[y][x].toggle() }
            }
        }
    }

    /// Table 11: what makes a picture hard to read.
    private var penalty: Int {
        var sum = 0
        let columns = (0..<side).map { x in modules.map { $0[x] } }
        for line in modules + columns { sum += Self.penalty(line) }
        for y in 0..<side - 1 {
            let (upper, lower) = (modules[y], modules[y + 1])
            for x in 0..<side - 1 where upper[x] == upper[x + 1] && upper[x] == lower[x] && upper[x] == lower[x + 1] {
                sum += 3
            }
        }
        let dark = modules.reduce(0) { $0 + $1.count { $0 } }
        return sum + abs(dark * 20 - side * side * 10) / (side * side) * 10
    }

    /// Eleven modules that look like a finder with its margin: one bit each, dark is 1.
    private static let finderLikes = (0b101_1101_0000, 0b000_0101_1101)

    private static func penalty(_ line: [Bool]) -> Int {
        var sum = 0
        var (run, seen, lastEleven) = (0, 0, 0)
        var before: Bool?
        for module in line {
            run = module == before ? run + 1 : 1
            before = module
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
            seen += 1
            lastEleven = (lastEleven << 1 | (module ? 1 : 0)) & 0x7FF
            if seen >= 11, lastEleven == finderLikes.0 || lastEleven == finderLikes.1 { sum += 40 }
        }
        return sum
    }
}
