/// How a call is refused whose Account Holder has not accepted the newest Advanced Commerce addendum.
///
/// Apple publishes that such a call "returns an error" and not which one (apple sheet 6.1). So the code is drawn anew
/// at each start, outside every published table, and depends on no seed: a client cannot learn it.
package struct CommerceAddendum: Sendable, Hashable {
    package let refusal: AppleError

    package init() {
        var random = SystemRandomNumberGenerator()
        let status: Int64 = Bool.random(using: &random) ? 403 : 400
        let code = status * 10_000 + Int64.random(in: 1_000...9_999, using: &random)
        let words = [
            "Request not permitted.", "The agreement is not in effect.", "This operation requires an agreement.",
        ]
        refusal = AppleError(code, words[Int.random(in: 0..<words.count, using: &random)])
    }
}
