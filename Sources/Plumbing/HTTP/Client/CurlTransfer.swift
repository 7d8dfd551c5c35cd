import CCurl
import Glibc

/// One call on its way: what has come of it so far. Only the transfer thread touches it.
final class CurlTransfer {
    /// Why our own side ended the call.
    enum Stop { case tooLarge, addressRefused, repeated, cancelled, overdue }

    let call: PendingCall
    /// How often libcurl began to write the request on a connection.
    private(set) var requestsBegun = 0
    /// When libcurl first tried an address for it.
    private var openedAt: ContinuousClock.Instant?
    private(set) var stop: Stop?
    private var head = ResponseHead()
    private var body: [UInt8] = []

    init(_ call: PendingCall) { self.call = call }

    func end(_ reason: Stop) { stop = reason }

    /// Its time went by while it waited for a connection of others: nobody was called, or with too little time left.
    ///
    /// A silent name server, or an address that takes no connection, ends a call earlier, with the time to connect; where
    /// the whole is shorter than twice that, the two cannot be told apart.
    func waitedInVain(at now: ContinuousClock.Instant) -> Bool {
        let connect = call.request.connectTimeout
        guard requestsBegun == 0, now >= call.deadline, connect * 2 <= call.request.totalTimeout else { return false }
        return openedAt.map { call.deadline - $0 < connect } ?? true
    }

    func response(httpVersion: Int, certificate: String?) -> ClientResponse {
        ClientResponse(
            status: head.status, headers: head.fields, body: body, httpVersion: httpVersion, certificate: certificate)
    }

    // What libcurl reports:

    /// A connection is ready and the request is about to be written. False stops the call.
    ///
    /// libcurl repeats a request by itself when a kept connection turns out to be dead. For a request that
    /// acts, that would be a second sending that nobody knows of.
    func begin() -> Bool {
        requestsBegun += 1
        guard requestsBegun > 1, call.request.method != .get, call.request.method != .head else { return true }
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
        guard body.count + bytes.count <= call.request.responseBytesMax else {
            stop = .tooLarge
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Opens the socket for one candidate address, or refuses the address.
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        openedAt = openedAt ?? .now
        if let addressGuard = call.addressGuard {
            let allowed = unsafe withUnsafePointer(to: &address.pointee.addr) { pointer in
                unsafe addressGuard.allows(UnsafeRawBufferPointer(start: pointer, count: Int(address.pointee.addrlen)))
            }
            guard allowed else {
                stop = .addressRefused
                return desk_curl_no_socket
            }
        }
        let closeOnExec = CInt(SOCK_CLOEXEC.rawValue)
        return unsafe socket(address.pointee.family, address.pointee.socktype | closeOnExec, address.pointee.protocol)
    }
}
