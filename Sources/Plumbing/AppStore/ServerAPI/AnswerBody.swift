import FoundationEssentials
import HTTP
import Time

/// Apple's error envelope, `{"errorCode": …, "errorMessage": …}`; each member by itself, so that a
/// strange message does not hide the code.
private struct ErrorEnvelope: Decodable {
    let code: Int64?
    let message: String?

    private enum CodingKeys: String, CodingKey { case errorCode, errorMessage }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try? members.decode(Int64.self, forKey: .errorCode)
        message = try? members.decode(String.self, forKey: .errorMessage)
    }
}

/// The answer of Get Transaction Info.
struct TransactionInfoBody: Decodable {
    let signedTransactionInfo: String

    init?(_ body: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
        self = read
    }
}

extension AppleAnswer {
    static let messageCharactersMax = 500

    init(_ response: ClientResponse, family: Family, receivedAt: Moment) {
        let isSuccess = (200...299).contains(response.status)
        let envelope = isSuccess ? nil : try? JSONDecoder().decode(ErrorEnvelope.self, from: Data(response.body))
        // A code or message means the envelope was there; else the body is text for people.
        let isEnvelope = envelope?.code != nil || envelope?.message != nil
        let plain = isSuccess || isEnvelope ? nil : String(decoding: response.body.prefix(2000), as: UTF8.self)
        let requestID =
            Self.requestIDFields.lazy.compactMap { response.headers[$0] }.first ?? plain.flatMap(Self.requestID)
        self.init(
            family: family, status: response.status, code: envelope?.code,
            message: (isEnvelope ? envelope?.message : plain).flatMap { Self.bounded($0, Self.messageCharactersMax) },
            requestID: requestID.flatMap { Self.bounded($0, 128) }, receivedAt: receivedAt,
            clockOffset: response.date.map { receivedAt - $0 })
    }

    /// Apple documents no field for its request number; these are the ones its servers send.
    private static let requestIDFields = ["x-apple-request-uuid", "x-apple-jingle-correlation-key", "x-request-id"]

    /// The bare 401 carries a line `Request ID: …` in its text.
    private static func requestID(in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("Request ID:") {
            return String(line.dropFirst("Request ID:".count))
        }
        return nil
    }

    /// One line without control characters, spaces folded; nil when nothing is left.
    private static func bounded(_ text: String, _ charactersMax: Int) -> String? {
        var out = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let isSpace = scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            if isSpace && (out.isEmpty || out.last == " ") { continue }
            guard count < charactersMax else { break }
            out.unicodeScalars.append(isSpace ? " " : scalar)
            count += 1
        }
        if out.last == " " { out.removeLast() }
        return out.isEmpty ? nil : out
    }
}
