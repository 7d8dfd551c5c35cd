/// The body of Apple's request: an object with the member `signedPayload`.
package enum NotificationBody {
    /// The signed text inside.
    ///
    /// - Throws: `JWSError` with `notANotification`, or `versionOneNotification` for a body of the
    ///   deprecated first version. That body holds a shared secret and must not be kept.
    package static func signedPayload(_ body: [UInt8]) throws(JWSError) -> [UInt8] {
        let document: JSONDocument
        do { document = try JSONDocument(body) } catch {
            throw JWSError(.notANotification, "the body is no JSON object: \(error)")
        }
        let root = document.root
        guard root.isObject else { throw JWSError(.notANotification, "the body is no JSON object") }
        if let signed = root["signedPayload"] {
            guard let text = signed.stringBytes else {
                throw JWSError(.notANotification, "signedPayload is not a text")
            }
            guard !text.isEmpty else { throw JWSError(.notANotification, "signedPayload is empty") }
            return text
        }
        if root["notification_type"] != nil || root["unified_receipt"] != nil {
            throw JWSError(
                .versionOneNotification,
                "this is a version 1 notification: choose version 2 for this URL in App Store Connect")
        }
        throw JWSError(.notANotification, "the body has no signedPayload")
    }
}
