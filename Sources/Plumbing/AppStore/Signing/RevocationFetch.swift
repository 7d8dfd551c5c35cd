package import HTTP
package import Journal

extension RevocationCheck {
    /// Bytes of a responder's answer; with a certificate inside it has about 2,000.
    private static let answerBytesMax = 64 * 1024

    struct ResponderStatus: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the responder answered with status \(status)" }
    }

    /// A check that asks responders over HTTP (RFC 6960, appendix A). Their answers are signed, so plain
    /// `http` is no loss, and it is what certificates name.
    package convenience init(mode: Mode, http: HTTPClient, journal: Journal) {
        self.init(mode: mode, journal: journal) { url, body in
            var headers = HeaderFields()
            headers.set("Content-Type", "application/ocsp-request")
            headers.set("Accept", "application/ocsp-response")
            let request = ClientRequest(
                method: .post, url: url, headers: headers, body: body, responseBytesMax: Self.answerBytesMax,
                connectTimeout: Self.waitMax, totalTimeout: Self.waitMax)
            let response = try await http.send(request)
            guard response.status == 200 else { throw ResponderStatus(status: response.status) }
            return response.body
        }
    }
}
