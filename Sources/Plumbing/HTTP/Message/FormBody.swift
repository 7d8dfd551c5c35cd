/// The fields of a form that was sent as `application/x-www-form-urlencoded`.
package struct FormBody: Sendable {
    package let fields: QueryString

    /// - Throws: `BodyError`: another type, or names or values that cannot be decoded.
    init(_ request: Request) throws(BodyError) {
        guard request.headers.mediaType == "application/x-www-form-urlencoded" else {
            throw BodyError(reason: .wrongType, text: "a form was expected")
        }
        fields = QueryString(request.body)
        guard fields.isValid else { throw BodyError(reason: .malformed, text: "the form cannot be read") }
    }

    package var pairs: [QueryString.Pair] { fields.pairs }
    package func first(_ name: String) -> String? { fields.first(name) }
    package func all(_ name: String) -> [String] { fields.all(name) }
}

extension Request {
    /// - Throws: `BodyError`: another type, or names or values that cannot be decoded.
    package func form() throws(BodyError) -> FormBody { try FormBody(self) }
}
