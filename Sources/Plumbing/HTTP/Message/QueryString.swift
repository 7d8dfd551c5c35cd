/// Names and values as queries and forms write them: `a=1&b=two+words`.
package struct QueryString: Sendable {
    package struct Pair: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// In their order; without those that cannot be decoded.
    package let pairs: [Pair]
    /// False where something could not be decoded, or there were more pairs than `pairsMax`.
    package let isValid: Bool

    package static let pairsMax = 1000

    package static let empty = QueryString(pairs: [], isValid: true)

    private init(pairs: [Pair], isValid: Bool) {
        self.pairs = pairs
        self.isValid = isValid
    }

    package init(_ bytes: some Collection<UInt8>) {
        var pairs: [Pair] = []
        var isValid = true
        for part in bytes.split(separator: ASCII.ampersand) {
            guard pairs.count < Self.pairsMax else {
                isValid = false
                break
            }
            let name = part.prefix { $0 != ASCII.equals }
            let value = part.dropFirst(name.count + 1)
            if let name = PercentCoding.decode(name, plusIsSpace: true),
                let value = PercentCoding.decode(value, plusIsSpace: true)
            {
                pairs.append(Pair(name: name, value: value))
            } else {
                isValid = false
            }
        }
        self.init(pairs: pairs, isValid: isValid)
    }

    package func first(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    package func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }
}
