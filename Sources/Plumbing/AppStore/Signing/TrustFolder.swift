import Crypto
import FoundationEssentials
package import Time

extension TrustAnchors {
    /// Bytes of one file of a trust folder.
    private static let fileBytesMax = 1 << 20
    private static let filesMax = 1000

    /// The roots of a folder: DER files, and PEM files with one or more certificates.
    ///
    /// A file that is no usable root costs a warning and nothing else. An expired root is left out.
    package static func load(folder: String, at now: Moment) -> (anchors: TrustAnchors, warnings: [String]) {
        var roots: [Certificate] = []
        var warnings: [String] = []
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            return (TrustAnchors(roots: []), ["the folder of trust roots \(folder) cannot be read"])
        }
        if names.count > filesMax { warnings.append("only the first \(filesMax) files of \(folder) are read") }
        for name in names.prefix(filesMax) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            guard let data = FileManager.default.contents(atPath: path), data.count <= fileBytesMax else {
                warnings.append("\(path): cannot be read, or is larger than \(fileBytesMax) bytes")
                continue
            }
            let bytes = Array(data)
            guard !bytes.isEmpty else {
                warnings.append("\(path): the file is empty")
                continue
            }
            let encoded = CertificateFile.certificates(bytes)
            if encoded.isEmpty { warnings.append("\(path): holds no certificate, neither DER nor PEM") }
            for der in encoded {
                guard let certificate = try? Certificate(der: der) else {
                    warnings.append("\(path): holds no readable certificate")
                    continue
                }
                if certificate.notAfter < now {
                    warnings.append("\(path): \(certificate.subject) ended \(certificate.notAfter.iso8601)")
                } else if !certificate.isCA || certificate.subject != certificate.issuer {
                    warnings.append("\(path): \(certificate.subject) is not a root certificate")
                } else if !roots.contains(certificate) {
                    roots.append(certificate)
                }
            }
        }
        return (TrustAnchors(roots: roots), warnings)
    }
}
