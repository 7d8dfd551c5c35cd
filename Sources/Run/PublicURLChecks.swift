import Crypto
import HTTP
import Journal
import Refunds
import Time

/// What doctor says of the public address: whether Apple could deliver to it, and which certificate it shows.
enum PublicURLChecks {
    private static let soon = Duration.days(14)

    static func of(_ configuration: Configuration) async -> [Check] {
        let url = configuration.publicURL
        guard url.isSecure else {
            let text =
                url.isLoopback
                ? "\(url): not https, and nobody but this machine sees it; set REFUND_DESK_PUBLIC_URL to the https address that Apple is to call"
                : "\(url): not https; Apple sends notifications to https:// only, and cookies travel in the clear"
            return [.warn("public-url", text)]
        }
        guard !url.isLoopback else {
            return [
                .warn(
                    "public-url",
                    "\(url): nobody but this machine sees it; set REFUND_DESK_PUBLIC_URL to the https address that Apple is to call"
                )
            ]
        }
        let http = HTTPClient(
            name: "doctor",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                userAgent: "refund-desk/\(Version.number)"),
            journal: .standardError(level: .error), counters: Counters())
        let check = await certificate(at: "\(url)/health/live", http: http, now: WallClock.system.now)
        await http.shutdown()
        return [.ok("public-url", "\(url)"), check]
    }

    /// Looked at from here, as the watch does it once an hour.
    static func certificate(at url: String, http: HTTPClient, now: Moment) async -> Check {
        do throws(HTTPClientError) {
            guard let shown = try await PublicCertificate.shown(at: url, http: http) else {
                return .warn(name, "the address answers and shows no certificate; look at it from outside")
            }
            return judged(shown, at: now)
        } catch {
            return refused(error)
        }
    }

    private static let name = "public-certificate"

    private static func judged(_ shown: Certificate, at now: Moment) -> Check {
        let left = shown.notAfter - now
        let days = left.wholeMilliseconds / 86_400_000
        let text =
            "\(line(shown.subject)), issued by \(line(shown.issuer)), ends on \(shown.notAfter.iso8601.prefix(10)), \(days) day\(days == 1 ? "" : "s") left"
        guard left < soon else { return .ok(name, text) }
        return .warn(
            name,
            "\(text): renew it at the proxy (certbot renew, or Caddy's log says why it did not), and find out why that did not happen by itself"
        )
    }

    private static func refused(_ error: HTTPClientError) -> Check {
        guard error.isAboutCertificate, case .tls(let fault) = error.kind else {
            return .warn(
                name,
                "\(error.text): the address cannot be looked at from this machine, which a router may cause that sends nothing back inside; look from outside (openssl s_client -connect HOST:443)"
            )
        }
        let next =
            switch fault {
            case .expired: "renew it at the proxy"
            case .notYetValid: "look at this machine's clock, and at the proxy's"
            case .wrongHost: "give the proxy a certificate for the host of REFUND_DESK_PUBLIC_URL"
            case .selfSigned: "get one from a public authority: Apple delivers to no self-signed one"
            case .unknownIssuer:
                "let the proxy send the whole chain (fullchain.pem, not cert.pem), from a public authority"
            case .revoked: "get a new one at once, and find out why it was revoked"
            case .refused, .handshake, .trustFile: "look at the proxy's certificate and its chain"
            }
        return .fail(name, "\(error.text): Apple delivers nothing to it; \(next)")
    }

    /// A name is a stranger's text: in one line, and not for ever.
    private static func line(_ name: String) -> String {
        let plain = name.filter { !$0.isNewline && $0 != "\0" }
        return plain.count <= 200 ? plain : "\(plain.prefix(199))…"
    }
}
