/// Which addresses the operator lets be called on behalf of tenants: asked before an address is kept.
///
/// What a name leads to is seen only when it is called; the client asks again then, for the very socket.
package struct OutboundRules: Sendable {
    /// Why a URL would not be called, as a sentence goes on after what the URL is for: "must begin with https://". Nil
    /// where nothing speaks against it.
    package typealias Refusal = @Sendable (_ url: String) -> String?

    let refusal: Refusal

    package init(_ refusal: @escaping Refusal) { self.refusal = refusal }

    /// Throws `AppChangeError` naming the member.
    package func check(_ url: String, member: String) throws(AppChangeError) {
        if let text = refusal(url) { throw AppChangeError(member, text) }
    }
}
