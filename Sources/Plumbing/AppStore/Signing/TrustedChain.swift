import Crypto
import Time

/// A chain that leads to a trusted root and carries Apple's two markers. Whether it was valid at a
/// moment is asked for each text it signed.
final class TrustedChain: Sendable {
    /// The marker of certificates that sign for the App Store.
    /// Source: Apple's WWDR certification practice statement, 4.11.10.
    static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// The marker of the Worldwide Developer Relations intermediate.
    static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let leafKey: P256PublicKey
    /// What stood in third place when the chain was judged.
    let rootText: [UInt8]

    /// Judges everything but dates.
    init(_ header: JWSHeader, trust: TrustAnchors) throws(JWSError) {
        let leaf = try Self.certificate(header, 0, "leaf")
        let intermediate = try Self.certificate(header, 1, "intermediate")
        rootText = header.certificateTexts[2]
        let anchors: [Certificate]
        switch trust.kind {
        case .pinned: anchors = [try Self.certificate(header, 2, "root")]
        case .roots(let roots): anchors = roots.filter { $0.subject == intermediate.issuer }
        }
        guard !anchors.isEmpty else {
            throw JWSError(.rootNotTrusted, "no trusted root is named \(intermediate.issuer.shortened)")
        }
        root = try Self.root(of: leaf, intermediate, among: anchors)
        guard leaf.hasExtension(Self.leafMarker) else {
            throw JWSError(
                .leafMarkerMissing, "the certificate \(leaf.subject.shortened) may not sign for the App Store")
        }
        guard intermediate.hasExtension(Self.intermediateMarker) else {
            throw JWSError(
                .intermediateMarkerMissing,
                "the certificate \(intermediate.subject.shortened) is not Apple's intermediate for the App Store")
        }
        guard let key = leaf.publicKey else {
            throw JWSError(.certificateUnreadable, "the leaf certificate has no P-256 key")
        }
        self.leaf = leaf
        self.intermediate = intermediate
        leafKey = key
    }

    /// - Throws: `certificateExpired` or `certificateNotYetValid`, naming the certificate and the date.
    func requireValid(at signedAt: Moment) throws(JWSError) {
        // Certificates know seconds only.
        let second = Moment(seconds: signedAt.seconds)
        for certificate in [leaf, intermediate, root] {
            if second > certificate.notAfter {
                throw .chain(.expired(subject: certificate.subject, notAfter: certificate.notAfter), at: signedAt)
            }
            if second < certificate.notBefore {
                throw .chain(
                    .notYetValid(subject: certificate.subject, notBefore: certificate.notBefore), at: signedAt)
            }
        }
    }

    private static func certificate(
        _ header: JWSHeader, _ index: Int, _ name: String
    ) throws(JWSError) -> Certificate {
        guard let der = Base64.decode(header.certificateTexts[index]) else {
            throw JWSError(.certificateListInvalid, "the \(name) certificate is not standard base64")
        }
        do { return try Certificate(der: der) } catch {
            throw JWSError(.certificateUnreadable, "the \(name) certificate cannot be read")
        }
    }

    private static func root(
        of leaf: Certificate, _ intermediate: Certificate, among anchors: [Certificate]
    ) throws(JWSError) -> Certificate {
        var failure: ChainError?
        for anchor in anchors.prefix(8) {
            // At this moment all three are valid, if they ever are together; dates are judged apart.
            let moment = max(leaf.notBefore, intermediate.notBefore, anchor.notBefore)
            do {
                return try CertificateChain.verify(
                    leaf: leaf, intermediate: intermediate, anchors: [anchor], at: moment)
            } catch {
                failure = failure ?? error
            }
        }
        throw .chain(failure ?? .untrusted(subject: leaf.subject), at: nil)
    }
}

extension JWSError {
    static func chain(_ error: ChainError, at moment: Moment?) -> JWSError {
        let signed = moment.map { "; the text was signed \($0.iso8601)" } ?? ""
        switch error {
        case .expired: return JWSError(.certificateExpired, "\(error)\(signed)".shortened(to: 400))
        case .notYetValid: return JWSError(.certificateNotYetValid, "\(error)\(signed)".shortened(to: 400))
        default: return JWSError(.chainNotTrusted, "\(error)".shortened(to: 400))
        }
    }
}

extension String {
    /// At most 100 characters of a text that a stranger wrote, without control characters.
    var shortened: String { shortened(to: 100) }

    func shortened(to count: Int) -> String {
        var out = ""
        for scalar in unicodeScalars.prefix(count) {
            out.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return unicodeScalars.count > count ? out + "…" : out
    }
}
