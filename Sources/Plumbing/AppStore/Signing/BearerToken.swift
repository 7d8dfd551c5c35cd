package import Crypto
package import Journal
package import Time

/// Tokens that sign in to the App Store Server API.
/// Source: App Store Server API, Generating JSON Web Tokens for API requests.
package enum BearerToken {
    /// Dated back, because a clock a little fast would otherwise make every token invalid.
    package static let issuedBeforeNow: Duration = .seconds(60)
    /// From now on. Apple allows an hour in all.
    package static let validFor: Duration = .minutes(5)

    package static func make(
        with key: borrowing P256Key, keyID: String, issuerID: String, bundleID: String, at now: Moment
    ) throws(OpenSSLError) -> Redacted<String> {
        let header = "{\"alg\":\"ES256\",\"kid\":\(JSONText.quoted(keyID)),\"typ\":\"JWT\"}"
        let issued = (now - issuedBeforeNow).seconds
        let expires = (now + validFor).seconds
        let claims =
            "{\"iss\":\(JSONText.quoted(issuerID)),\"iat\":\(issued),\"exp\":\(expires),"
            + "\"aud\":\"appstoreconnect-v1\",\"bid\":\(JSONText.quoted(bundleID))}"
        let text = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        let signature = try key.sign(Array(text.utf8))
        return Redacted("\(text).\(Base64URL.encode(signature))")
    }
}
