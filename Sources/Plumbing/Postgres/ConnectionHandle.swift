import CPostgres
import Glibc

/// The one owner of a `PGconn`: closed when dropped, so that closing twice does not compile.
///
/// Belongs to one loop; `CancelHandle` is the only thing of a connection that another thread touches.
@safe struct ConnectionHandle: ~Copyable {
    /// Nil once closed; libpq's functions take null for a connection that is lost.
    private var pointer: OpaquePointer?

    /// Begins to connect without waiting. Host names must have been resolved (`hostaddr`): libpq
    /// would wait for the resolver here.
    init(startingWith parameters: [(keyword: String, value: String)]) throws(PostgresError) {
        var keywords: [UnsafePointer<CChar>?] = unsafe []
        var values: [UnsafePointer<CChar>?] = unsafe []
        unsafe keywords.reserveCapacity(parameters.count + 1)
        unsafe values.reserveCapacity(parameters.count + 1)
        for (keyword, value) in parameters {
            unsafe keywords.append(UnsafePointer(strdup(keyword)))
            unsafe values.append(UnsafePointer(strdup(value)))
        }
        unsafe keywords.append(nil)
        unsafe values.append(nil)
        defer {
            unsafe keywords.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
            unsafe values.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
        }
        guard let connection = unsafe PQconnectStartParams(keywords, values, 0) else {
            throw PostgresError(.unavailable, "no memory for a connection")
        }
        unsafe pointer = connection
        // The default receivers print on standard error, values included.
        unsafe PQsetNoticeReceiver(connection, { _, _ in }, nil)
        unsafe PQsetErrorContextVisibility(connection, PQSHOW_CONTEXT_NEVER)
    }

    deinit { unsafe PQfinish(pointer) }

    /// Says goodbye to the server and frees what libpq holds.
    mutating func close() {
        unsafe PQfinish(pointer)
        unsafe pointer = nil
    }

    var hasFailed: Bool { unsafe PQstatus(pointer) == CONNECTION_BAD }
    /// May be another one after every call of `poll`.
    var socket: CInt { unsafe PQsocket(pointer) }
    func poll() -> PostgresPollingStatusType { unsafe PQconnectPoll(pointer) }

    /// What libpq says about the last failure; names host and user, may quote values.
    var message: String { unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? "" }
    var serverVersion: Int { Int(unsafe PQserverVersion(pointer)) }
    var processID: Int32 { unsafe PQbackendPID(pointer) }
    func parameter(_ name: String) -> String? {
        unsafe PQparameterStatus(pointer, name).map { unsafe String(cString: $0) }
    }

    func becomeNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }
    func enterPipeline() -> Bool { unsafe PQenterPipelineMode(pointer) == 1 }
    func leavePipeline() -> Bool { unsafe PQexitPipelineMode(pointer) == 1 }
    func sync() -> Bool { unsafe PQpipelineSync(pointer) == 1 }
    /// 0: all is written; 1: the socket is full; -1: the connection is lost.
    func flush() -> CInt { unsafe PQflush(pointer) }
    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }
    var isBusy: Bool { unsafe PQisBusy(pointer) != 0 }
    func nextResult() -> OpaquePointer? { unsafe PQgetResult(pointer) }

    /// A script of several statements by the simple protocol; outside of pipeline mode only.
    func send(script: String) -> Bool { unsafe PQsendQuery(pointer, script) == 1 }

    func prepare(name: String, text: String, types: [UInt32]) -> Bool {
        unsafe types.withUnsafeBufferPointer { types in
            unsafe PQsendPrepare(pointer, name, text, CInt(types.count), types.baseAddress) == 1
        }
    }

    /// Carries out a statement without values and without preparing it.
    func execute(text: String) -> Bool {
        unsafe PQsendQueryParams(pointer, text, 0, nil, nil, nil, nil, 1) == 1
    }

    /// Carries out a prepared statement; answers come in binary form.
    func execute(name: String, values: EncodedValues) -> Bool {
        let count = values.ranges.count
        guard count > 0 else {
            return unsafe PQsendQueryPrepared(pointer, name, 0, nil, nil, nil, 1) == 1
        }
        return unsafe values.bytes.withUnsafeBytes { raw in
            let base = unsafe raw.baseAddress!.assumingMemoryBound(to: CChar.self)
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            unsafe pointers.reserveCapacity(count)
            var lengths: [CInt] = []
            lengths.reserveCapacity(count)
            for range in values.ranges {
                unsafe pointers.append(range.map { unsafe base + $0.lowerBound })
                lengths.append(range.map { CInt($0.count) } ?? 0)
            }
            let formats = [CInt](repeating: 1, count: count)
            return unsafe PQsendQueryPrepared(pointer, name, CInt(count), pointers, lengths, formats, 1) == 1
        }
    }

    func nextNotification() -> (channel: String, payload: String)? {
        guard let note = unsafe PQnotifies(pointer) else { return nil }
        defer { unsafe PQfreemem(note) }
        return unsafe (String(cString: note.pointee.relname), String(cString: note.pointee.extra))
    }

    /// The means to stop what this connection is doing, from any thread.
    func canceller() -> CancelHandle? { unsafe PQgetCancel(pointer).map { unsafe CancelHandle($0) } }
}

/// A key that stops the statement under way on a connection, even after the connection was closed.
@safe final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }
    deinit { unsafe PQfreeCancel(pointer) }

    /// Blocks until the server has taken note or cannot be reached: never call it on a loop.
    func cancel() {
        var text = [CChar](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe PQcancel(pointer, buffer.baseAddress, CInt(buffer.count))
        }
    }
}

/// The binary forms of a statement's values, one after the other.
struct EncodedValues {
    /// Never empty, so that an empty value has an address too.
    private(set) var bytes: [UInt8]
    /// Where each value stands; nil for null.
    private(set) var ranges: [Range<Int>?]

    init(_ values: [any SQLValue]) {
        bytes = []
        ranges = []
        ranges.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            ranges.append(value.encode(into: &bytes) ? start..<bytes.count : nil)
        }
        bytes.append(0)
    }
}
