import HTTP
import Journal
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `HTTP client and certificates` {
    static let cases: [(TLSServer.Certificate, TLSFault)] = [
        (.selfSigned, .selfSigned), (.wrongHost, .wrongHost), (.expired, .expired),
    ]

    @Test(arguments: cases)
    func `BL-135: a certificate fault is named, and nothing is sent`(
        certificate: TLSServer.Certificate, fault: TLSFault
    ) async throws {
        try await TLSServer.serve(certificate) { server in
            let client = HTTPClient(
                name: "tls", options: .init(caFile: server.authorityFile), journal: .silent, counters: Counters())
            let error = try #require(
                await `HTTP client`.failure(
                    client, `HTTP client`.request("\(server.url)/secret", .put, body: "payload")))
            #expect(error.kind == .tls(fault), "\(error)")
            #expect(error.isTLS && error.arrival == .notReceived)
            #expect(error.text.contains("TLS verification failed") && !error.text.contains("secret"))
            try await server.connectionEnded()
            #expect(!server.transcript.contains("payload") && !server.transcript.contains("PUT"))
        }
    }

    @Test func `a certificate of a trusted authority is accepted`() async throws {
        try await TLSServer.serve(.good) { server in
            let client = HTTPClient(
                name: "tls", options: .init(caFile: server.authorityFile), journal: .silent, counters: Counters())
            // The server says nothing, so the call ends in time; what counts is that it was sent.
            let error = try #require(
                await `HTTP client`.failure(
                    client, `HTTP client`.request("\(server.url)/x", .put, body: "payload", total: .milliseconds(700))))
            #expect(error.kind == .timeout && error.arrival == .unknown, "\(error)")
            try await server.connectionEnded()
            #expect(server.transcript.contains("PUT /x HTTP/1.1") && server.transcript.contains("payload"))
        }
    }

    @Test func `an authority that the system does not know is not trusted unasked`() async throws {
        try await TLSServer.serve(.good) { server in
            let client = HTTPClient(name: "tls", options: .init(), journal: .silent, counters: Counters())
            let error = try #require(await `HTTP client`.failure(client, `HTTP client`.request(server.url)))
            #expect(error.kind == .tls(.unknownIssuer) && error.arrival == .notReceived, "\(error)")
        }
    }

    @Test func `a port that speaks no TLS is a failed handshake, not an outage`() async throws {
        let server = try ScriptedServer(steps: [.answer(200)])
        let client = HTTPClient(name: "tls", options: .init(), journal: .silent, counters: Counters())
        let url = "https://127.0.0.1:\(server.port)/"
        var request = `HTTP client`.request(url)
        request.connectTimeout = .seconds(1)
        let error = try #require(await `HTTP client`.failure(client, request))
        #expect(error.arrival == .notReceived && (error.kind == .tls(.handshake) || error.kind == .connect), "\(error)")
    }
}
