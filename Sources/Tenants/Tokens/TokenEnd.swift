package import Time

/// When a token ends by itself.
package enum TokenEnd: Hashable, Sendable {
    case never
    case after(Duration)
    case at(Moment)

    func moment(from now: Moment) -> Moment? {
        switch self {
        case .never: nil
        case .after(let life): now + life
        case .at(let end): end
        }
    }
}
