/// Covers a password with what a guesser tries first, as cheaply as it can be done, and tells what that leaves.
///
/// A letter that belongs to nothing costs 2, a digit or sign 1, and a whole piece (a common word, a row of keys, a repetition,
/// a sequence, a year) as much as a letter. What costs less than ten is guessed within hours.
struct PasswordCover {
    static let costMin = 10
    /// More is not looked at: so much is enough to judge by.
    private static let charactersMax = 64

    private let characters: [UInt8]
    private let plain: [UInt8]
    private let names: [[UInt8]]

    init(_ text: String, context: [String]) {
        // Case and the usual disguises of letters make no difference.
        characters = Array(text.lowercased().utf8.prefix(Self.charactersMax))
        plain = characters.map { Self.undisguised[$0] ?? $0 }
        names = (context + ["refund desk", "app store", "itunes"]).flatMap(Self.words)
    }

    private static let undisguised: [UInt8: UInt8] = {
        var map: [UInt8: UInt8] = [:]
        for (sign, letter) in zip("@4310$57!".utf8, "aaeiossti".utf8) { map[sign] = letter }
        return map
    }()

    /// ASCII letters, and the bytes of all others.
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || byte >= 0x80 }

    private struct Piece {
        let count: Int
        let kind: PasswordTrouble
    }

    /// What the password is mostly made of, where too little is left beside it.
    var trouble: PasswordTrouble? {
        let count = characters.count
        var cost = [Int](repeating: .max, count: count + 1)
        var last = [Piece?](repeating: nil, count: count + 1)
        cost[0] = 0
        for start in 0..<count {
            let single = cost[start] + (Self.isLetter(characters[start]) ? 2 : 1)
            if single < cost[start + 1] { (cost[start + 1], last[start + 1]) = (single, nil) }
            for piece in pieces(at: start) where cost[start] + 2 < cost[start + piece.count] {
                (cost[start + piece.count], last[start + piece.count]) = (cost[start] + 2, piece)
            }
        }
        guard cost[count] < Self.costMin else { return isWoven ? .keyboard : nil }
        var sizes: [PasswordTrouble: Int] = [:]
        var end = count
        while end > 0 {
            guard let piece = last[end] else {
                end -= 1
                continue
            }
            sizes[piece.kind, default: 0] += piece.count
            end -= piece.count
        }
        let order: [PasswordTrouble] = [.personal, .common, .keyboard, .repeated, .sequence]
        return order.max {
            (sizes[$0] ?? 0, -(order.firstIndex(of: $0) ?? 0)) < (sizes[$1] ?? 0, -(order.firstIndex(of: $1) ?? 0))
        }
    }

    private func pieces(at start: Int) -> [Piece] {
        var pieces: [Piece] = []
        for name in names where starts(with: name, at: start) {
            pieces.append(Piece(count: name.count, kind: .personal))
        }
        for count in CommonPasswords.wordLengths where start + count <= characters.count {
            let (given, undisguised) = (characters[start..<start + count], plain[start..<start + count])
            if CommonPasswords.isWord(given) || CommonPasswords.isWord(undisguised) {
                pieces.append(Piece(count: count, kind: .common))
            }
        }
        for (line, kind) in Self.lines {
            if let count = run(in: line, at: start) { pieces.append(Piece(count: count, kind: kind)) }
        }
        if let count = repetition(at: start) { pieces.append(Piece(count: count, kind: .repeated)) }
        if let count = year(at: start) { pieces.append(Piece(count: count, kind: .sequence)) }
        return pieces
    }

    /// Two rows, sequences or repetitions woven into each other: `1a2s3d4f5g`, `q1q2q3q4q5`.
    private var isWoven: Bool {
        let strands = [0, 1].map { first in stride(from: first, to: characters.count, by: 2).map { characters[$0] } }
        return strands.allSatisfy { strand in
            Set(strand).count == 1
                || Self.lines.contains { line, _ in
                    line.indices.contains { line[$0...].starts(with: strand) }
                }
        }
    }

    private func starts(with word: [UInt8], at start: Int) -> Bool {
        start + word.count <= characters.count
            && (characters[start..<start + word.count].elementsEqual(word)
                || plain[start..<start + word.count].elementsEqual(word))
    }

    /// Rows and columns of common keyboards, and what is counted off, in both directions.
    private static let lines: [([UInt8], PasswordTrouble)] = {
        let keys = [
            "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn",
            "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "qazwsxedcrfvtgbyhnujmikolp", "1q2w3e4r5t6y7u8i9o0p",
            "q1w2e3r4t5y6u7i8o9p0", "qweasdzxc", "!@#$%^&*()", "741852963", "147258369", "159753",
            "qawsedrftgyhujikolp", "1029384756",
            "112233445566778899",
        ]
        let sequences = ["0123456789", "1234567890", "abcdefghijklmnopqrstuvwxyz"]
        let both = { (text: String) in [Array(text.utf8), Array(text.utf8.reversed())] }
        return keys.flatMap(both).map { ($0, .keyboard) } + sequences.flatMap(both).map { ($0, .sequence) }
    }()

    /// How many characters from here on follow each other in a line; nil under three.
    private func run(in line: [UInt8], at start: Int) -> Int? {
        var best = 0
        for place in line.indices where line[place] == characters[start] {
            var count = 1
            while start + count < characters.count, place + count < line.count,
                line[place + count] == characters[start + count]
            {
                count += 1
            }
            best = max(best, count)
        }
        return best >= 3 ? best : nil
    }

    /// What lies from here on is the piece of one to eight characters before it, once or more, at least three in all.
    private func repetition(at start: Int) -> Int? {
        var best = 0
        for period in 1...8 where period <= start {
            var count = 0
            while start + count < characters.count, characters[start + count] == characters[start + count - period] {
                count += 1
            }
            if count >= max(period, 2) { best = max(best, count) }
        }
        return best >= 2 ? best : nil
    }

    /// `19…`, `20…`, and dates of six or eight digits around one.
    private func year(at start: Int) -> Int? {
        let digits = characters[start...].prefix { (0x30...0x39).contains($0) }.prefix(8)
        guard digits.count >= 4 else { return nil }
        let isYear = { (place: Int) in
            let two = Array(digits.dropFirst(place).prefix(2))
            return two == [0x31, 0x39] || two == [0x32, 0x30]
        }
        if digits.count == 8, isYear(0) || isYear(4) { return 8 }
        return isYear(0) ? 4 : nil
    }

    /// The words of a name or an address: whole, in parts, and without what stands between.
    private static func words(_ text: String) -> [[UInt8]] {
        let lower = text.lowercased()
        let parts = lower.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return ([lower, parts.joined()] + parts).filter { $0.utf8.count >= 3 }.map { Array($0.utf8) }
    }
}
