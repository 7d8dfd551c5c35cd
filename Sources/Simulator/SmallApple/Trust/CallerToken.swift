import Crypto
import Time

/// The JSON Web Token of one call, and whether Apple would take it.
///
/// Source: Generating JSON Web Tokens for API requests; keys and 401 (apple sheets 4.2, 8.3, 8.4).
struct CallerToken {
    /// What the token says, good or not, for the ledger. The signature is not part of it.
    var header: JSON?
    var claims: JSON?
    /// Why the call is answered 401, for the ledger: the answer itself never says.
    var fault: String?
    /// The app of a good token.
    var app: RegisteredApp?

    static let lifetimeSecondsMax: Int64 = 3600

    static func read(
        _ authorization: String?, environment: StoreEnvironment, keys: KnownKeys, shelves: Shelves, now: Moment
    ) -> CallerToken {
        var token = CallerToken()
        do throws(Fault) {
            token.app = try token.check(
                authorization, environment: environment, keys: keys, shelves: shelves, now: now)
        } catch {
            token.fault = error.text
        }
        return token
    }

    private struct Fault: Error {
        let text: String
    }

    private mutating func check(
        _ authorization: String?, environment: StoreEnvironment, keys: KnownKeys, shelves: Shelves, now: Moment
    ) throws(Fault) -> RegisteredApp {
        guard let authorization else { throw Fault(text: "no Authorization header") }
        guard authorization.hasPrefix("Bearer ") else {
            throw Fault(text: "the Authorization header is no Bearer token")
        }
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Fault(text: "the token has \(parts.count) parts instead of 3") }
        header = Self.json(parts[0])
        claims = Self.json(parts[1])
        guard let header, header.object != nil else { throw Fault(text: "the token's header is no JSON object") }
        guard let claims, claims.object != nil else { throw Fault(text: "the token's claims are no JSON object") }

        guard header["alg"] == "ES256" else { throw Fault(text: "alg is not ES256") }
        // Libraries send typ; whether it may be missing is not documented. Another value is refused.
        if let typ = header["typ"], typ != "JWT" { throw Fault(text: "typ is not JWT") }
        guard let keyID = header["kid"]?.string else { throw Fault(text: "kid is missing") }
        guard let key = keys.key(keyID) else { throw Fault(text: "kid names no key") }
        guard let signature = Base64URL.decode(String(parts[2])) else {
            throw Fault(text: "the signature is not base64url")
        }
        guard signature.count == 64 else { throw Fault(text: "the signature is not 64 bytes of r and s") }
        let signed = Array(authorization.utf8.dropFirst("Bearer ".utf8.count).dropLast(parts[2].utf8.count + 1))
        guard key.publicKey.isValidSignature(signature, for: signed) else {
            throw Fault(text: "the signature is not by the key that kid names")
        }
        guard claims["iss"]?.string == key.issuerID else { throw Fault(text: "iss is not the issuer of the key") }
        guard claims["aud"] == "appstoreconnect-v1" else { throw Fault(text: "aud is not appstoreconnect-v1") }
        try Self.checkTimes(claims, now: now)
        guard let bundleID = claims["bid"]?.string else { throw Fault(text: "bid is missing") }
        guard let app = shelves.app(bundleID), app.issuerID == key.issuerID else {
            throw Fault(text: "bid is no app of the key's team")
        }
        guard app.isReleased || environment == .sandbox else {
            throw Fault(text: "the app was never released, so only the sandbox knows it")
        }
        return app
    }

    private static func checkTimes(_ claims: JSON, now: Moment) throws(Fault) {
        guard let exp = claims["exp"]?.int else { throw Fault(text: "exp is missing or no integer") }
        var issued = now.seconds
        // Two of Apple's libraries send no iat and are accepted (apple sheet 4.2, C18).
        if let iat = claims["iat"] {
            guard let seconds = iat.int else { throw Fault(text: "iat is no integer") }
            guard seconds <= now.seconds else { throw Fault(text: "iat lies in the future") }
            issued = seconds
        }
        guard exp > now.seconds else { throw Fault(text: "the token has expired") }
        guard exp - issued <= lifetimeSecondsMax, exp > issued else {
            throw Fault(text: "exp lies more than 3600 seconds after iat")
        }
    }

    private static func json(_ part: Substring) -> JSON? {
        guard let bytes = Base64URL.decode(String(part)) else { return nil }
        return try? JSONReader.read(bytes)
    }
}
