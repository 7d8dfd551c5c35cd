import CCurl

extension HTTPClientError {
    /// From libcurl's result, and from what our callbacks saw meanwhile.
    ///
    /// The text names the host alone: the rest of the URL may hold an id or a token.
    init(_ code: CURLcode, of transfer: CurlTransfer, _ handle: CurlHandle?) {
        let host = transfer.call.url.host
        let message = handle?.errorText ?? ""
        // The one proof that nothing was sent: libcurl never began to write the request.
        let isUnsent = transfer.requestsBegun == 0
        let arrival: Arrival = isUnsent ? .notReceived : .unknown
        let detail = message.isEmpty ? "" : " (\(message))"
        func failed(_ kind: Kind, _ words: String) -> HTTPClientError {
            HTTPClientError(arrival: arrival, kind: kind, text: "\(host): \(words)")
        }
        if transfer.stop == .overdue || (transfer.stop == nil && Self.isOfTime(code)), transfer.waitedInVain(at: .now) {
            self = failed(.busy, "no connection became free in the call's time")
            return
        }
        switch transfer.stop {
        case .tooLarge: self = failed(.tooLarge, "the answer is longer than allowed")
        case .addressRefused where code == CURLE_COULDNT_CONNECT:
            self = failed(.addressRefused, "its address is not one that may be called")
        case .repeated: self = failed(.reset, "the connection ended before an answer came")
        case .cancelled: self = failed(.cancelled, "the call was cancelled")
        case .overdue:
            self = failed(.timeout, isUnsent ? "no connection in time" : "no complete answer in time")
        case .addressRefused, nil:
            self =
                switch code {
                // libcurl's number for an answer without a status line, as HTTP/0.9 had it.
                case CURLE_UNSUPPORTED_PROTOCOL where !isUnsent: failed(.malformed, "the answer is not proper HTTP")
                case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
                    failed(.badRequest, "the URL cannot be used\(detail)")
                case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
                    failed(.resolve, "the name cannot be looked up\(detail)")
                // HTTP/2 gives this number to a connection that goes down under a request.
                case CURLE_COULDNT_CONNECT where !isUnsent: failed(.reset, "the connection ended before an answer came")
                case CURLE_COULDNT_CONNECT, CURLE_PROXY: failed(.connect, "no connection\(detail)")
                case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                    Self.tls(TLSFault(verifyResult: handle?.verifyResult ?? 0, text: message), host, arrival, detail)
                case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT,
                    CURLE_SSL_CERTPROBLEM:
                    Self.tls(.handshake, host, arrival, detail)
                case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: Self.tls(.trustFile, host, arrival, detail)
                case CURLE_OPERATION_TIMEDOUT where isUnsent:
                    failed(.connect, "no connection in time\(detail)")
                case CURLE_OPERATION_TIMEDOUT: failed(.timeout, "no complete answer in time\(detail)")
                case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
                    CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
                    failed(.reset, "the connection ended before the answer was complete\(detail)")
                case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
                    failed(.malformed, "the answer is not proper HTTP\(detail)")
                default: failed(.other(code: Int(code.rawValue)), "libcurl error \(code.rawValue)\(detail)")
                }
        }
    }

    /// A call whose time ends while its name is about to be looked up may fail with either number.
    private static func isOfTime(_ code: CURLcode) -> Bool {
        code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
    }

    private static func tls(_ fault: TLSFault, _ host: String, _ arrival: Arrival, _ detail: String) -> HTTPClientError
    {
        HTTPClientError(
            arrival: arrival, kind: .tls(fault), text: "\(host): TLS verification failed: \(fault.words)\(detail)")
    }
}
