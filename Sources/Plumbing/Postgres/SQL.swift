/// A statement whose every interpolated value is a bind and never part of its text.
///
/// `"select name from tenants.apps where app_id = \(id)"` becomes `… where app_id = $1` and one
/// value. Statements nest: `\(condition)` with another `SQL` puts its text and its values in place.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    enum Piece: Sendable {
        case text(String)
        case value(any SQLValue)
    }

    let pieces: [Piece]

    package init(stringLiteral value: String) { pieces = [.text(value)] }
    package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }
    init(pieces: [Piece]) { self.pieces = pieces }

    package struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
        }

        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.text(literal)) }
        }

        /// A bind.
        package mutating func appendInterpolation(_ value: some SQLValue) { pieces.append(.value(value)) }

        /// A bind that may be null.
        package mutating func appendInterpolation<Value: SQLValue>(_ value: Value?) { pieces.append(.value(value)) }

        /// Another statement's text and values, in place.
        package mutating func appendInterpolation(_ sql: SQL) { pieces += sql.pieces }

        /// Text that was written by a programmer: a `StaticString` cannot hold what came from outside.
        package mutating func appendInterpolation(raw text: StaticString) {
            pieces.append(.text("\(text)"))
        }
    }

    /// The statements one after the other, with `separator` between them.
    package static func joined(_ parts: [SQL], by separator: StaticString) -> SQL {
        var pieces: [Piece] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { pieces.append(.text("\(separator)")) }
            pieces += part.pieces
        }
        return SQL(pieces: pieces)
    }

    /// The statement as the server sees it: `$1`, `$2`, … where the values stand.
    package var text: String {
        if pieces.count == 1, case .text(let whole) = pieces[0] { return whole }
        var text = ""
        var number = 0
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .value:
                number += 1
                text += "$\(number)"
            }
        }
        return text
    }

    /// The binds in the order of their numbers.
    package var values: [any SQLValue] {
        pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }
}

extension SQL: CustomStringConvertible {
    /// The text without the values.
    package var description: String { text }
}
