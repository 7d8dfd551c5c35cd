import CCurl
import Glibc
import Synchronization

/// One call on its way: the request, and what has come of it so far.
///
/// Everything but `isCancelled` belongs to the transfer thread from the moment the call is handed over.
final class CurlTransfer: @unchecked Sendable {
    /// Why our own side ended the call.
    enum Stop { case tooLarge, addressRefused, repeated, cancelled, overdue }

    typealias Outcome = Result<ClientResponse, HTTPClientError>

    static let headerBytesMax = 64 * 1024
    static let headerFieldsMax = 200

    let request: ClientRequest
    let url: ClientURL
    let deadline: ContinuousClock.Instant
    let guardian: AddressGuard?
    let cancelled = Atomic(false)

    private var continuation: CheckedContinuation<Outcome, Never>?
    /// How often libcurl began to write the request on a connection.
    private(set) var requestsBegun = 0
    private(set) var stop: Stop?
    private var head = ResponseHead()
    private var body: [UInt8] = []

    init(_ request: ClientRequest, url: ClientURL, deadline: ContinuousClock.Instant, guardian: AddressGuard?) {
        self.request = request
        self.url = url
        self.deadline = deadline
        self.guardian = guardian
    }

    func await(_ continuation: CheckedContinuation<Outcome, Never>) { self.continuation = continuation }

    /// Resumes the caller, on the caller's own executor; the second time does nothing.
    func finish(_ outcome: Outcome) {
        guard let waiting = continuation else { return }
        continuation = nil
        waiting.resume(returning: outcome)
    }

    func response(httpVersion: Int) -> ClientResponse {
        ClientResponse(status: head.status, headers: head.fields, body: body, httpVersion: httpVersion)
    }

    // MARK: What libcurl reports, on the transfer thread

    /// A connection is ready and the request is about to be written. False stops the call.
    ///
    /// libcurl repeats a request by itself when a kept connection turns out to be dead. For a request that
    /// acts, that would be a second sending that nobody knows of.
    func begin() -> Bool {
        requestsBegun += 1
        guard requestsBegun > 1, request.method != .get, request.method != .head else { return true }
        stop = .repeated
        return false
    }

    func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
        guard unsafe head.take(line) else {
            stop = .tooLarge
            return false
        }
        return true
    }

    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= request.responseBytesMax else {
            stop = .tooLarge
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Opens the socket for one candidate address, or refuses the address.
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if let guardian {
            let allowed = unsafe withUnsafePointer(to: &address.pointee.addr) { pointer in
                unsafe guardian.allows(UnsafeRawBufferPointer(start: pointer, count: Int(address.pointee.addrlen)))
            }
            guard allowed else {
                stop = .addressRefused
                return desk_curl_no_socket
            }
        }
        let closeOnExec = CInt(SOCK_CLOEXEC.rawValue)
        return unsafe socket(address.pointee.family, address.pointee.socktype | closeOnExec, address.pointee.protocol)
    }

    func end(_ reason: Stop) { stop = reason }
}
