/// One value of a JSON text: where it lies.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, isFalse, isTrue
        /// Digits with an optional minus sign.
        case integer
        /// A number with a fraction or an exponent.
        case number
        /// Start and end exclude the quotation marks.
        case string
        case stringWithEscapes
        case array
        /// Members follow as pairs of a string node and a value node.
        case object
    }

    var kind: Kind
    var start: Int32
    var end: Int32
    /// The index of the node after this one and all that is inside it.
    var next: Int32
}
