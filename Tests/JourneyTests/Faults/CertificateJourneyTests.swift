import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Apple behind a wrong certificate` {
    @Test(arguments: [
        (TLSServer.Certificate.selfSigned, "self-signed"), (.wrongHost, "another host name"), (.expired, "expired"),
    ])
    func `BL-135: the fault is named, nothing is delivered, and the reply waits`(
        certificate: TLSServer.Certificate, words: String
    ) async throws {
        try await TLSServer.serve(certificate) { server in
            try await Product.serve(settings: [
                "REFUND_DESK_APP_STORE_PRODUCTION_URL": server.url,
                "REFUND_DESK_OUTBOUND_CA_FILE": server.authorityFile,
            ]) { product in
                let app = try await product.addApp("alpha", bundleID: "com.example.alpha", appleID: 6_450_000_001)
                let id = "2000000900013501"
                try await product.request(product.transaction(id, of: app), of: app)
                let attempt = try await product.attempt(of: id)
                let error = attempt.error ?? ""
                #expect(attempt.result == "retry" && attempt.status == nil)
                #expect(error.contains("TLS verification failed") && error.contains(words), "\(error)")
                #expect(try await product.seen(id)?.state == "open")
                try await server.connectionEnded()
                #expect(!server.transcript.contains("PUT") && !server.transcript.contains("Bearer"))
            }
        }
    }
}
