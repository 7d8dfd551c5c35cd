/// Passkeys: the two answers of Web Authentication Level 2, checked.
///
/// Attestation is not asked for: which maker an authenticator has is no business of a refund desk. The user must be
/// verified, so that a passkey alone is two factors: having the device, and being able to unlock it.
package enum WebAuthn {
    /// The site as browsers know it.
    package struct RelyingParty: Hashable, Sendable {
        /// The host.
        package let id: String
        /// Scheme, host and port, as `location.origin` has them.
        package let origin: String

        package init(id: String, origin: String) {
            self.id = id
            self.origin = origin
        }
    }

    /// A key that an authenticator has just made.
    package struct NewCredential: Sendable {
        package let id: [UInt8]
        package let key: SignaturePublicKey
        package let signCount: UInt32
    }

    /// Of an attestation object: a key, at most 1,023 bytes of id, and room for extensions.
    package static let attestationBytesMax = 4096
    package static let signatureBytesMax = 1024
    package static let challengeBytes = 32

    /// Section 7.1, for attestation "none" and for a statement by the new key itself.
    package static func credential(
        clientData: [UInt8], attestation: [UInt8], challenge: [UInt8], of site: RelyingParty
    ) throws(WebAuthnError) -> NewCredential {
        try ClientData.check(clientData, type: "webauthn.create", challenge: challenge, origin: site.origin)
        guard attestation.count <= attestationBytesMax, let object = try? CBORReader.whole(attestation),
            let format = object["fmt"]?.text, let bytes = object["authData"]?.bytes, let statement = object["attStmt"]
        else { throw .malformed }
        let data = try AuthenticatorData(bytes)
        try check(data, of: site)
        guard let credential = data.credential else { throw .malformed }
        switch format {
        case "none":
            guard statement == .map([]) else { throw .attestation }
        case "packed":
            // Browsers leave a statement by the new key itself in place: it names no maker.
            guard statement["x5c"] == nil, statement["alg"]?.integer == Int64(credential.key.algorithm.rawValue),
                let signature = statement["sig"]?.bytes, signature.count <= signatureBytesMax,
                credential.key.isValid(signature, for: bytes + Digest.sha256(clientData))
            else { throw .attestation }
        default: throw .attestation
        }
        return NewCredential(id: credential.id, key: credential.key, signCount: data.signCount)
    }

    /// Section 7.2. Returns the authenticator's count of signatures.
    package static func signCount(
        clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], key: SignaturePublicKey,
        challenge: [UInt8], of site: RelyingParty
    ) throws(WebAuthnError) -> UInt32 {
        try ClientData.check(clientData, type: "webauthn.get", challenge: challenge, origin: site.origin)
        guard authenticatorData.count <= attestationBytesMax, signature.count <= signatureBytesMax else {
            throw .malformed
        }
        let data = try AuthenticatorData(authenticatorData)
        try check(data, of: site)
        guard key.isValid(signature, for: authenticatorData + Digest.sha256(clientData)) else { throw .signature }
        return data.signCount
    }

    private static func check(_ data: AuthenticatorData, of site: RelyingParty) throws(WebAuthnError) {
        guard ConstantTime.equal(data.relyingPartyHash, Digest.sha256(Array(site.id.utf8))) else { throw .relyingParty }
        guard data.isUserPresent else { throw .notPresent }
        guard data.isUserVerified else { throw .notVerified }
    }
}
