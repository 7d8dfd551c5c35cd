/// Which addresses the operator lets be called on behalf of tenants: asked before an address is kept.
///
/// What a name leads to is seen only when it is called; the client asks again then, for the very socket.
package struct OutboundRules: Sendable {
    /// Why a URL would not be called, as a sentence goes on after what the URL is for: "must begin with https://". Nil
    /// where nothing speaks against it.
    package typealias Refusal = @Sendable (_ url: String) -> String?

    let refusal: Refusal
    private let isInner: @Sendable (_ url: String) -> Bool

    /// - Parameter isInner: whether the URL leads into the operator's own network, which was opened for such calls.
    package init(_ refusal: @escaping Refusal, isInner: @escaping @Sendable (_ url: String) -> Bool = { _ in false }) {
        self.refusal = refusal
        self.isInner = isInner
    }

    /// Whether the operator lets this be called in place of a service's own host: a proxy, a program that speaks its form.
    package func letsStandIn(_ url: String) -> Bool { isInner(url) && refusal(url) == nil }

    /// Throws `AppChangeError` naming the member.
    package func check(_ url: String, member: String) throws(AppChangeError) {
        if let text = refusal(url) { throw AppChangeError(member, text) }
    }
}
