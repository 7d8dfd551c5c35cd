import AppStore
import Time

/// What an app's server said of a purchase, read member by member: one that is wrong spoils no other, and one that nobody
/// knows is passed over.
struct CallbackAnswer: Sendable, Hashable {
    static let bytesMax = 64 * 1024
    static let noteBytesMax = 2000

    struct Consent: Sendable, Hashable {
        var consented: Bool
        var recordedAt: Moment
        var wordingVersion: String?
    }

    var consent: Consent?
    /// What it says of consent, other than that there is one, where it says something: nothing is sent about this
    /// request on older words.
    var objection: ConsentObjection?
    /// Whose purchase it is, where the purchase does not say so.
    var appAccountToken: String?
    var deliveryStatus: DeliveryStatus?
    /// Thousandths of a percent, 0…100,000.
    var consumptionPercentage: Int?
    var sampleContentProvided: Bool?
    /// When what it says of delivery and use was so; nil: now.
    var observedAt: Moment?
    var note: String?
    /// What was not taken, and why; for people.
    var troubles: [String] = []

    /// Why an answer as a whole says nothing.
    enum Unreadable: Error, Hashable {
        /// With what is wrong, and at which byte.
        case noJSON(String)
        case noObject

        /// Something of consent may have been said.
        static func mayObject(_ body: [UInt8]) -> Bool {
            String(decoding: body, as: UTF8.self).lowercased().contains("consent")
        }

        var text: String {
            switch self {
            case .noJSON(let fault): "the answer is no JSON text that can be read: \(fault)"
            case .noObject: "the answer is no JSON object"
            }
        }
    }

    var saysOfUse: Bool { deliveryStatus != nil || consumptionPercentage != nil || sampleContentProvided != nil }
    var isEmpty: Bool { consent == nil && appAccountToken == nil && !saysOfUse && note == nil }

    /// Nothing is said.
    init() {}

    /// - Parameter body: empty where the server knows nothing.
    init(_ body: [UInt8], at now: Moment) throws(Unreadable) {
        if body.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(body).root
        } catch {
            throw .noJSON(error.description)
        }
        guard root.isObject else { throw .noObject }
        readConsent(root["consent"], now)
        take(root["appAccountToken"], "appAccountToken", "a UUID") {
            $0.string.flatMap { Text.isUUID($0) ? $0 : nil }
        } into: {
            $0.appAccountToken = $1
        }
        take(
            root["deliveryStatus"], "deliveryStatus",
            "one of \(DeliveryStatus.allCases.map(\.rawValue).joined(separator: ", "))"
        ) {
            $0.string.flatMap(DeliveryStatus.init(rawValue:))
        } into: {
            $0.deliveryStatus = $1
        }
        take(root["consumptionPercentage"], "consumptionPercentage", "a whole number from 0 to 100000") {
            $0.int.flatMap { (0...100_000).contains($0) ? Int($0) : nil }
        } into: {
            $0.consumptionPercentage = $1
        }
        take(root["sampleContentProvided"], "sampleContentProvided", "true or false") {
            $0.bool
        } into: {
            $0.sampleContentProvided = $1
        }
        take(root["observedAt"], "observedAt", "a time in milliseconds that is not in the future") {
            Self.past($0, now)
        } into: {
            $0.observedAt = $1
        }
        take(root["note"], "note", "a text of at most \(Self.noteBytesMax) bytes without control characters") {
            $0.string.flatMap { Text.isKept($0, bytesMax: Self.noteBytesMax) && Text.isPlain($0) ? $0 : nil }
        } into: {
            $0.note = $1.isEmpty ? nil : $1
        }
        if let wrong = root["observedAt"], !wrong.isNull, observedAt == nil, saysOfUse {
            // When it was so is not known: it must not pass for newer than what is.
            (deliveryStatus, consumptionPercentage, sampleContentProvided) = (nil, nil, nil)
            troubles.append("delivery and use were not taken: when they were observed is not known")
        }
    }

    /// Absent and null say nothing.
    private mutating func take<Value>(
        _ value: JSONValue?, _ name: String, _ shouldBe: String, _ read: (JSONValue) -> Value?,
        into: (inout Self, Value) -> Void
    ) {
        guard let value, !value.isNull else { return }
        if let good = read(value) {
            into(&self, good)
        } else {
            troubles.append("\(name) was not taken: it is \(shouldBe)")
        }
    }

    private mutating func readConsent(_ value: JSONValue?, _ now: Moment) {
        guard let value, !value.isNull else { return }
        guard let consented = Self.consented(value) else {
            objection = .unreadable
            return troubles.append(
                "consent was not taken: it is an object with consented, true or false; so nothing is sent about this request"
            )
        }
        if !consented { objection = .withdrawn }
        let said = (value.isObject ? value["recordedAt"] : nil).flatMap { $0.isNull ? nil : $0 }
        var recordedAt = said.flatMap { Self.past($0, now) }
        if recordedAt == nil, !consented {
            // Whenever it was said: it is so now, and nothing may be sent against it.
            recordedAt = now
            if said != nil { troubles.append("the withdrawal counts from now: its recordedAt is no time in the past") }
        }
        guard let recordedAt else {
            return troubles.append(
                said == nil
                    ? "consent was not taken: recordedAt is missing, the time at which the customer agreed, in milliseconds"
                    : "consent was not taken: its recordedAt is a time in milliseconds that is not in the future")
        }
        var wording: String?
        if value.isObject, let version = value["wordingVersion"], !version.isNull {
            if let text = version.string, Text.isWritten(text, bytesMax: 500) {
                wording = text
            } else if consented {
                return troubles.append("consent was not taken: its wordingVersion is a text of at most 500 bytes")
            } else {
                troubles.append("wordingVersion was not taken: it is a text of at most 500 bytes")
            }
        }
        consent = Consent(consented: consented, recordedAt: recordedAt, wordingVersion: wording)
    }

    /// What plainly means no counts as no, also where its shape is wrong; a yes is one only as it should be.
    private static func consented(_ value: JSONValue) -> Bool? {
        if value.bool == false { return false }
        guard value.isObject, let word = value["consented"] else { return nil }
        return word.bool ?? (word.string?.lowercased() == "false" ? false : nil)
    }

    private static func past(_ value: JSONValue, _ now: Moment) -> Moment? {
        value.moment.flatMap {
            ReportedTime.isPossible($0) && $0 <= now + ConsentLedger.futureAllowed ? min($0, now) : nil
        }
    }

    /// What was taken, in words; for people.
    var taken: [String] {
        var words: [String] = []
        if let consent { words.append(consent.consented ? "consent given" : "consent refused or withdrawn") }
        if appAccountToken != nil { words.append("the customer") }
        if let deliveryStatus { words.append(deliveryStatus.rawValue) }
        if let consumptionPercentage { words.append("\(ShareWords.text(consumptionPercentage)) used") }
        if let sampleContentProvided { words.append(sampleContentProvided ? "a free sample" : "no free sample") }
        if note != nil { words.append("a note") }
        return words
    }
}

/// A share for people: 45200 is 45.2 %.
enum ShareWords {
    static func text(_ share: Int) -> String {
        let (whole, rest) = (share / 1000, share % 1000)
        guard rest != 0 else { return "\(whole) %" }
        var digits = String(rest + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits) %"
    }
}
