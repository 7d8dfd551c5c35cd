/// How far two shares lie apart, with the interval that holds the truth in 95 of 100 such trials.
///
/// Newcombe's hybrid score interval, made of Wilson's interval of each share: right for small counts and for shares near
/// none and all. Source: R. G. Newcombe, Statistics in Medicine 17 (1998), 873–890, method 10.
package struct ShareDifference: Sendable, Hashable {
    package struct Share: Sendable, Hashable {
        package let hits: Int
        package let of: Int

        package init(hits: Int, of: Int) {
            self.hits = hits
            self.of = of
        }

        package var value: Double { of == 0 ? 0 : Double(hits) / Double(of) }

        /// Wilson's score interval, 95 %.
        package var interval: ClosedRange<Double> {
            guard of > 0 else { return 0...1 }
            let (n, p, z2) = (Double(of), value, ShareDifference.z * ShareDifference.z)
            let middle = (p + z2 / (2 * n)) / (1 + z2 / n)
            let half = ShareDifference.z / (1 + z2 / n) * (p * (1 - p) / n + z2 / (4 * n * n)).squareRoot()
            return max(0, middle - half)...min(1, middle + half)
        }
    }

    /// Of a standard normal distribution 95 in 100 lie within.
    static let z = 1.959964

    package let first: Share
    package let second: Share

    package init(_ first: Share, _ second: Share) {
        self.first = first
        self.second = second
    }

    /// The first share less the second.
    package var value: Double { first.value - second.value }

    package var interval: ClosedRange<Double> {
        let (a, b) = (first.interval, second.interval)
        let (p, q) = (first.value, second.value)
        let below = ((p - a.lowerBound) * (p - a.lowerBound) + (b.upperBound - q) * (b.upperBound - q)).squareRoot()
        let above = ((a.upperBound - p) * (a.upperBound - p) + (q - b.lowerBound) * (q - b.lowerBound)).squareRoot()
        return max(-1, value - below)...min(1, value + above)
    }

    /// Whether none lies outside of what chance alone makes.
    package var isCertain: Bool { interval.lowerBound > 0 || interval.upperBound < 0 }
}
