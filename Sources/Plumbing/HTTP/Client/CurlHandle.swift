import CCurl
import Time

/// One easy handle, used for one call after another and freed with this object.
///
/// Only the transfer thread touches it.
@safe final class CurlHandle {
    /// The address alone, for finding the call that belongs to a handle.
    struct ID: Hashable {
        private let address: UInt
        init(_ easy: UnsafeMutableRawPointer?) { address = UInt(bitPattern: easy) }
    }

    let easy: UnsafeMutableRawPointer
    var id: ID { unsafe ID(easy) }
    private let message: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?

    init?() {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(fields)
        unsafe message.deallocate()
    }

    /// libcurl's words about the last failure.
    var errorText: String { unsafe String(cString: message) }

    var verifyResult: Int { long(CURLINFO_SSL_VERIFYRESULT) }

    var httpVersion: Int { long(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0) ? 2 : 1 }

    /// PEM; nil where it was not asked for.
    var certificate: String? {
        guard let text = unsafe desk_curl_certificate(easy) else { return nil }
        return unsafe String(cString: text)
    }

    /// Forgets the last call but keeps connections, sessions and looked-up names.
    func reset() {
        unsafe curl_easy_reset(easy)
        unsafe curl_slist_free_all(fields)
        unsafe fields = nil
        unsafe message.pointee = 0
    }

    /// Makes the handle ready for `transfer`, which must stay alive until the handle is reset.
    func prepare(for transfer: CurlTransfer, options: HTTPClient.Options) -> CURLcode {
        var setter = unsafe Setter(easy: easy)
        let request = transfer.call.request

        setter.set(CURLOPT_URL, transfer.call.url.text)
        setter.set(CURLOPT_PATH_AS_IS, 1)
        setter.set(CURLOPT_PROTOCOLS_STR, "http,https")
        setter.set(CURLOPT_FOLLOWLOCATION, 0)
        setter.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // A second call to a host waits for the first connection to say whether it carries many at once. Without
        // encryption it never does, and says so only with its answer: there the second would wait for that.
        setter.set(CURLOPT_PIPEWAIT, transfer.call.url.isEncrypted ? 1 : 0)

        // Signals belong to the process, and a name server that is silent must not hold up this thread.
        setter.set(CURLOPT_NOSIGNAL, 1)
        setter.set(CURLOPT_QUICK_EXIT, 1)
        setter.set(CURLOPT_TCP_KEEPALIVE, 1)
        // Younger than most servers' own limit, so that few requests meet a connection that is being closed.
        setter.set(CURLOPT_MAXAGE_CONN, 50)
        setter.set(CURLOPT_MAXLIFETIME_CONN, 600)

        setter.set(CURLOPT_SSL_VERIFYPEER, 1)
        setter.set(CURLOPT_SSL_VERIFYHOST, 2)
        setter.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caFile = options.caFile { setter.set(CURLOPT_CAINFO, caFile) }
        if request.asksForCertificate {
            setter.set(CURLOPT_CERTINFO, 1)
            // Only a handshake shows it, and a kept connection has none.
            setter.set(CURLOPT_FRESH_CONNECT, 1)
            setter.set(CURLOPT_FORBID_REUSE, 1)
        }

        // Empty turns off what the environment says (http_proxy, no_proxy).
        setter.set(CURLOPT_PROXY, options.proxy ?? "")
        setter.set(CURLOPT_NOPROXY, "")
        setter.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)

        let left = max(1, (transfer.call.deadline - .now).wholeMilliseconds)
        setter.set(CURLOPT_TIMEOUT_MS, Int(clamping: left))
        setter.set(
            CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, min(left, request.connectTimeout.wholeMilliseconds))))

        prepareMessage(request, options, &setter)
        prepareCallbacks(transfer, &setter)
        return setter.result
    }

    private func prepareMessage(_ request: ClientRequest, _ options: HTTPClient.Options, _ setter: inout Setter) {
        let method = request.method.name
        var body = request.body
        switch request.method {
        case .get: break
        case .head: setter.set(CURLOPT_NOBODY, 1)
        case .post, .put, .patch: body = body ?? []
        default: break
        }
        if let body {
            setter.set(CURLOPT_POSTFIELDSIZE_LARGE, large: body.count)
            setter.set(CURLOPT_COPYPOSTFIELDS, bytes: body)
        }
        if request.method != .head { setter.set(CURLOPT_CUSTOMREQUEST, method) }

        setter.set(CURLOPT_USERAGENT, options.userAgent)
        // A name and a colon alone takes out what libcurl would add.
        add("Expect:")
        if body != nil && request.headers["Content-Type"] == nil { add("Content-Type:") }
        for field in request.headers {
            add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        unsafe setter.set(CURLOPT_HTTPHEADER, fields)
    }

    private func add(_ line: String) {
        // On failure (no memory) the list stays as it was.
        if let longer = unsafe curl_slist_append(fields, line) { unsafe fields = longer }
    }

    private func prepareCallbacks(_ transfer: CurlTransfer, _ setter: inout Setter) {
        let pointer = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe setter.set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(message))
        setter.check(
            unsafe desk_curl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
                let length = size * count
                let taken = unsafe CurlHandle.transfer(transfer).take(
                    body: UnsafeRawBufferPointer(start: bytes, count: length))
                return taken ? length : 0
            })
        unsafe setter.set(CURLOPT_WRITEDATA, pointer: pointer)
        setter.check(
            unsafe desk_curl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
                let length = size * count
                let taken = unsafe CurlHandle.transfer(transfer).take(
                    headerLine: UnsafeRawBufferPointer(start: bytes, count: length))
                return taken ? length : 0
            })
        unsafe setter.set(CURLOPT_HEADERDATA, pointer: pointer)
        setter.check(
            unsafe desk_curl_set_prereq(easy) { transfer, _, _, _, _ in
                unsafe CurlHandle.transfer(transfer).begin() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
        unsafe setter.set(CURLOPT_PREREQDATA, pointer: pointer)
        setter.check(
            unsafe desk_curl_set_open_socket(easy) { transfer, _, address in
                guard let address = unsafe address else { return desk_curl_no_socket }
                return unsafe CurlHandle.transfer(transfer).open(address)
            })
        unsafe setter.set(CURLOPT_OPENSOCKETDATA, pointer: pointer)
    }

    private static func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer {
        // Set in `prepareCallbacks` and never nil; the transfer outlives the handle's use of it.
        unsafe Unmanaged<CurlTransfer>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe desk_curl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Sets options and remembers the first that libcurl refused.
    @safe private struct Setter {
        let easy: UnsafeMutableRawPointer
        var result = CURLE_OK

        init(easy: UnsafeMutableRawPointer) { unsafe self.easy = easy }

        mutating func fail(_ code: CURLcode) { if result == CURLE_OK { result = code } }
        mutating func check(_ code: CURLcode) { if code != CURLE_OK { fail(code) } }

        mutating func set(_ option: CURLoption, _ value: Int) {
            check(unsafe desk_curl_set_long(easy, option, value))
        }
        mutating func set(_ option: CURLoption, large value: Int) {
            check(unsafe desk_curl_set_large(easy, option, curl_off_t(value)))
        }
        mutating func set(_ option: CURLoption, _ value: String) {
            check(unsafe desk_curl_set_string(easy, option, value))
        }
        mutating func set(_ option: CURLoption, _ list: UnsafeMutablePointer<curl_slist>?) {
            check(unsafe desk_curl_set_list(easy, option, list))
        }
        mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) {
            check(unsafe desk_curl_set_pointer(easy, option, pointer))
        }
        /// libcurl copies them; an empty list still needs an address.
        mutating func set(_ option: CURLoption, bytes: [UInt8]) {
            let code = unsafe (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { raw in
                unsafe desk_curl_set_pointer(easy, option, UnsafeMutableRawPointer(mutating: raw.baseAddress!))
            }
            check(code)
        }
    }
}
