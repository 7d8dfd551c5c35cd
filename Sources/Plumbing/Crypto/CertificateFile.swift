/// Files of certificates: one in DER, or any number in PEM.
package enum CertificateFile {
    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)

    /// The DER bytes of each certificate; unread, so possibly nonsense. Empty for other files.
    package static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        // DER begins with a SEQUENCE whose length takes two bytes.
        if bytes.count > 4, bytes[0] == 0x30, bytes[1] == 0x82 { return [bytes] }
        var out: [[UInt8]] = []
        var rest = bytes[...]
        while let start = find(begin, in: rest), let stop = find(end, in: rest[(start + begin.count)...]) {
            let body = rest[(start + begin.count)..<stop].filter { ![0x0A, 0x0D, 0x20, 0x09].contains($0) }
            if let der = Base64.decode(body) { out.append(der) }
            rest = rest[(stop + end.count)...]
        }
        return out
    }

    package static func pem(_ certificate: Certificate) -> String {
        let text = Array(Base64.encode(certificate.der).utf8)
        var lines = ["-----BEGIN CERTIFICATE-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        lines.append("-----END CERTIFICATE-----\n")
        return lines.joined(separator: "\n")
    }

    private static func find(_ needle: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard text.count >= needle.count else { return nil }
        var at = text.startIndex
        while at + needle.count <= text.endIndex {
            if text[at] == needle[0], text[at..<(at + needle.count)].elementsEqual(needle) { return at }
            at += 1
        }
        return nil
    }
}
