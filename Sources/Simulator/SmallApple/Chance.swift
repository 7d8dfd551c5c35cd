/// Chance that a seed makes repeatable.
///
/// Each question draws from a stream of its own, named for its subject, so that the answer does not
/// depend on the order in which calls happen to arrive: the same seed, transaction and attempt
/// always meet the same fate.
package struct Chance: Sendable {
    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// A UUID that no seed repeats.
    static func anyUUID() -> String {
        var random = SystemRandomNumberGenerator()
        var stream = Chance(seed: random.next()).stream("uuid")
        return stream.uuid()
    }

    /// The stream for one question, such as `("decision", "410000987654321")`.
    package func stream(_ question: String, _ subject: String = "") -> Stream {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in question.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        for byte in subject.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Stream(state: seed ^ hash)
    }

    /// SplitMix64: small, quick and good enough for mischief. Never for keys.
    package struct Stream: RandomNumberGenerator, Sendable {
        fileprivate var state: UInt64

        package mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
            return z ^ z >> 31
        }

        /// True in `share` of all cases; `share` lies in 0…1.
        package mutating func happens(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

        /// One of `choices`, each as likely as its weight; the first if all weights are 0.
        package mutating func pick<Value>(_ choices: [(Value, Int)]) -> Value {
            precondition(!choices.isEmpty, "a choice of nothing")
            var rest = Int.random(in: 0..<max(1, choices.reduce(0) { $0 + $1.1 }), using: &self)
            for (value, weight) in choices {
                if rest < weight { return value }
                rest -= weight
            }
            return choices[0].0
        }

        package mutating func pick<Value>(_ choices: [Value]) -> Value {
            precondition(!choices.isEmpty, "a choice of nothing")
            return choices[Int.random(in: 0..<choices.count, using: &self)]
        }

        package mutating func duration(_ milliseconds: ClosedRange<Int64>) -> Duration {
            .milliseconds(Int64.random(in: milliseconds, using: &self))
        }

        package mutating func digits(_ count: Int) -> String {
            var text = String(Int.random(in: 1...9, using: &self))
            while text.count < count { text += String(Int.random(in: 0...9, using: &self)) }
            return text
        }

        /// A version 4 UUID, in lower case.
        package mutating func uuid() -> String {
            var high = next()
            var low = next()
            high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
            low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            let digits = Self.hex(high) + Self.hex(low)
            var text = ""
            for (place, digit) in digits.enumerated() {
                if place == 8 || place == 12 || place == 16 || place == 20 { text += "-" }
                text.append(digit)
            }
            return text
        }

        private static func hex(_ value: UInt64) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }
}
