import Crypto
import HTTP
import Synchronization
import Time

/// The certificate that whoever calls the public address is shown, looked at from here.
///
/// A machine that cannot reach its own public address (a router that sends nothing back inside) learns nothing, and
/// says nothing. A fault counts when it was seen twice: a proxy may be between two certificates for a moment.
final class PublicCertificate: Sendable {
    private static let every = Duration.hours(1)
    private static let againAfterFault = Duration.seconds(30)
    private static let againAfterNothing = Duration.minutes(10)

    private struct State {
        var ends: Moment?
        var fault: String?
        var faults = 0
        var nextAt = Moment(milliseconds: 0)
    }

    /// Nil where the address is not one of TLS, or of this machine alone.
    private let url: String?
    private let http: HTTPClient
    private let state = Mutex(State())

    init(of address: BaseURL, http: HTTPClient) {
        url = address.isSecure && !address.isLoopback ? "\(address)/health/live" : nil
        self.http = http
    }

    /// For tests: any address.
    init(url: String, http: HTTPClient) {
        self.url = url
        self.http = http
    }

    /// Nil while none was seen.
    var ends: Moment? { state.withLock { $0.fault == nil ? $0.ends : nil } }

    /// In words, for whoever is called.
    var fault: String? { state.withLock { $0.faults >= 2 ? $0.fault : nil } }

    /// Looks when it is time.
    func look(at now: Moment) async {
        guard let url, state.withLock({ $0.nextAt <= now }) else { return }
        do throws(HTTPClientError) {
            note(ends: try await Self.shown(at: url, http: http)?.notAfter, at: now)
        } catch {
            note(error, at: now)
        }
    }

    /// What an address shows, believed; nil where it answers without showing one.
    ///
    /// - Throws: why it is not believed, or not reached.
    static func shown(at url: String, http: HTTPClient) async throws(HTTPClientError) -> Certificate? {
        var request = ClientRequest(
            method: .get, url: url, responseBytesMax: 64 * 1024, totalTimeout: .seconds(10))
        request.asksForCertificate = true
        let answer = try await http.send(request)
        return answer.certificate.flatMap { pem in
            CertificateFile.certificates(Array(pem.utf8)).first.flatMap { try? Certificate(der: $0) }
        }
    }

    private func note(ends: Moment?, at now: Moment) {
        state.withLock { $0 = State(ends: ends, nextAt: now + (ends == nil ? Self.againAfterNothing : Self.every)) }
    }

    private func note(_ error: HTTPClientError, at now: Moment) {
        state.withLock { state in
            // Without a certificate of the other side, or with trouble of our own, nothing is known about it.
            guard error.isAboutCertificate else {
                state.nextAt = now + Self.againAfterNothing
                return
            }
            state.fault = error.text
            state.faults += 1
            state.nextAt = now + (state.faults < 2 ? Self.againAfterFault : .minutes(5))
        }
    }
}

extension HTTPClientError {
    /// Whether it tells something about the other side's certificate, and not about a way there or trouble of our own.
    var isAboutCertificate: Bool {
        guard case .tls(let fault) = kind else { return false }
        return fault != .handshake && fault != .trustFile
    }
}
