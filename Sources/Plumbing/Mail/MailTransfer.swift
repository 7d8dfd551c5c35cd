import CCurl
import Glibc
import Journal
import Time

/// One delivery over one connection of its own. Holds its thread until the server has answered.
///
/// A connection is not kept: mails are rare, and one that died meanwhile would make a delivery doubtful.
@safe final class MailTransfer {
    private let easy: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<CChar>
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private var result = CURLE_OK
    private let job: MailJob
    private let server: MailServer
    private var sent = 0
    private var words = ServerWords()

    init?(_ job: MailJob, to server: MailServer) {
        Self.prepareProcess
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.job = job
        self.server = server
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(recipients)
        unsafe message.deallocate()
    }

    /// Once in a process. libcurl without signals leaves broken pipes to us.
    private static let prepareProcess: Void = {
        signal(SIGPIPE, SIG_IGN)
        curl_global_init(desk_curl_global_flags())
    }()

    /// Hands the mail in. Nil when the server has taken it.
    ///
    /// - Parameter connectTimeout: until the server has greeted, TLS stands and we have signed in.
    func run(from: MailAddress, caFile: String?, connectTimeout: Duration) -> MailError? {
        if let stop = job.stop { return stopped(stop) }
        let left = (job.deadline - .now).wholeMilliseconds
        guard left > 0 else { return failed(.timeout, "waited too long behind other mails") }
        prepare(from: from, caFile: caFile)
        set(CURLOPT_TIMEOUT_MS, Int(clamping: left))
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, min(left, connectTimeout.wholeMilliseconds))))
        prepareCallbacks()
        guard result == CURLE_OK else { return outcome(of: result) }
        return outcome(of: unsafe curl_easy_perform(easy))
    }

    private func prepare(from: MailAddress, caFile: String?) {
        set(CURLOPT_URL, server.url)
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        switch server.security {
        case .implicitTLS, .startTLS: set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        case .plain: set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        }
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caFile { set(CURLOPT_CAINFO, caFile) }
        // Signals belong to the process, and a name server that is silent must not hold up this thread.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        // Empty turns off what the environment says; proxies for web calls do not carry mail.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        if let user = server.user, let password = server.password {
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password.reveal())
        }
        set(CURLOPT_MAIL_FROM, "<\(from)>")
        if let list = unsafe curl_slist_append(nil, "<\(job.to)>") {
            unsafe recipients = list
            check(unsafe desk_curl_set_list(easy, CURLOPT_MAIL_RCPT, list))
        } else {
            check(CURLE_OUT_OF_MEMORY)
        }
        set(CURLOPT_UPLOAD, 1)
        check(unsafe desk_curl_set_large(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(job.bytes.count)))
        set(CURLOPT_NOPROGRESS, 0)
        // Closed within the call, good-bye included: a kept connection is closed after it, where nothing limits that.
        set(CURLOPT_FORBID_REUSE, 1)
    }

    private func prepareCallbacks() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        check(unsafe desk_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message))
        check(
            unsafe desk_curl_set_read(easy) { buffer, size, count, context in
                guard let buffer = unsafe buffer else { return 0 }
                return unsafe MailTransfer.at(context).give(
                    UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
            })
        check(unsafe desk_curl_set_pointer(easy, CURLOPT_READDATA, context))
        check(
            unsafe desk_curl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                unsafe MailTransfer.at(context).words.take(String(decoding: line, as: UTF8.self))
                return size * count
            })
        check(unsafe desk_curl_set_pointer(easy, CURLOPT_HEADERDATA, context))
        check(
            unsafe desk_curl_set_progress(easy) { context, _, _, _, _ in
                unsafe MailTransfer.at(context).isWanted ? 0 : 1
            })
        check(unsafe desk_curl_set_pointer(easy, CURLOPT_XFERINFODATA, context))
    }

    /// libcurl's own time-out does not count while it says good-bye, and a server may let it wait for minutes.
    private var isWanted: Bool { job.stop == nil && job.deadline + .seconds(1) > .now }

    /// - Returns: how many bytes were written; 0 at the end.
    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, job.bytes.count - sent)
        unsafe room.copyBytes(from: job.bytes[sent..<sent + count])
        sent += count
        return count
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> MailTransfer {
        // Set in `prepareCallbacks` and never nil; `run` holds this object while libcurl works.
        unsafe Unmanaged<MailTransfer>.fromOpaque(pointer!).takeUnretainedValue()
    }

    // MARK: What came of it

    private func outcome(of code: CURLcode) -> MailError? {
        switch code {
        case CURLE_OK: nil
        case CURLE_ABORTED_BY_CALLBACK:
            job.stop.map(stopped) ?? failed(.timeout, "no complete answer in time\(detail)")
        case CURLE_LOGIN_DENIED: refused(.signInRefused, "the server refuses our sign-in")
        case CURLE_USE_SSL_FAILED: failed(.notSafe, "the server offers no TLS, so nothing was sent")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
            failed(.notSafe, "TLS verification failed\(detail)")
        case CURLE_OPERATION_TIMEDOUT: failed(.timeout, "no complete answer in time\(detail)")
        case CURLE_COULDNT_RESOLVE_HOST: failed(.unreachable, "the name cannot be looked up\(detail)")
        case CURLE_COULDNT_CONNECT: failed(.unreachable, "no connection\(detail)")
        // libcurl tells only in its message which command it was.
        case _ where replyCode != nil && libcurlWords.hasPrefix("RCPT failed"):
            refused(.recipientRefused, "the server refuses the reader's address")
        case _ where replyCode != nil: refused(.refused, "the server refuses the mail")
        default: failed(.unreachable, "the connection ended before the mail was taken\(detail)")
        }
    }

    private func stopped(_ stop: MailJob.Stop) -> MailError {
        switch stop {
        case .cancelled: failed(.cancelled, "the sending was cancelled")
        case .shutDown: failed(.shutDown, "the mail client is shut down")
        }
    }

    private func refused(_ kind: MailError.Kind, _ what: String) -> MailError {
        let said = words.text(hiding: server.password?.reveal())
        return MailError(
            kind: kind, code: replyCode, text: "\(server.host): \(what)\(said.isEmpty ? "" : ": \(said)")")
    }

    private func failed(_ kind: MailError.Kind, _ what: String) -> MailError {
        MailError(kind: kind, text: "\(server.host): \(what)")
    }

    private var libcurlWords: String { unsafe String(cString: message) }
    private var detail: String { libcurlWords.isEmpty ? "" : " (\(libcurlWords))" }

    /// The number of the server's last reply, where it is one of refusal.
    private var replyCode: Int? { words.code.flatMap { (400...599).contains($0) ? $0 : nil } }

    // MARK: Options; the first that libcurl refuses is remembered

    private func check(_ code: CURLcode) { if result == CURLE_OK { result = code } }
    private func set(_ option: CURLoption, _ value: Int) { check(unsafe desk_curl_set_long(easy, option, value)) }
    private func set(_ option: CURLoption, _ value: String) { check(unsafe desk_curl_set_string(easy, option, value)) }
}
