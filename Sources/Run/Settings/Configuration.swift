import AppStore
import Crypto
import HTTP
import Journal
import Loop
import Tenants

/// Every setting, read and checked.
struct Configuration: Sendable {
    let databaseURL: Redacted<String>
    let listen: SocketAddress
    let publicURL: BaseURL
    let publicFolder: String?
    let keyring: MasterKeyring
    let trustRoots: String?
    let revocationCheck: RevocationCheck.Mode
    let appStoreProduction: BaseURL
    let appStoreSandbox: BaseURL
    let advancedCommerceProduction: BaseURL
    let advancedCommerceSandbox: BaseURL
    let pagerDuty: BaseURL
    let smtp: String?
    let smtpPassword: Redacted<String>?
    let mailFrom: String?
    let heartbeat: Redacted<String>?
    let outboundProxy: Redacted<String>?
    let outboundCAFile: String?
    let outboundAllowPrivate: AddressGuard
    let trustedProxies: [AddressRange]
    let signInHeader: String?
    let metricsToken: Redacted<String>?
    let log: Journal.Level

    /// - Parameter masterKey: `REFUND_DESK_MASTER_KEY` as it was taken out of the environment.
    /// - Throws: everything that is wrong, at once.
    init(environment: [String: String], masterKey: consuming SecretBytes? = nil) throws(ConfigurationError) {
        var reader = SettingsReader(environment: environment)
        let database = reader.text(.databaseURL)
        if database == nil, reader.troubles.allSatisfy({ $0.name != Setting.databaseURL.name }) {
            reader.note(
                .databaseURL, "is not set: name the PostgreSQL database, such as postgresql://user@host/refund_desk")
        }
        let listen = reader.value(.listen) { (text) throws(SettingText) in
            guard let address = SocketAddress(text) else {
                throw SettingText("is neither address:port, such as 127.0.0.1:8080 or [::1]:8080, nor unix:/path")
            }
            return address
        }
        let publicURL = reader.value(.publicURL) { (text) throws(SettingText) in
            let url = try BaseURL(text)
            guard url.path.isEmpty else {
                throw SettingText("must not have a path: Refund Desk answers at the root of a host")
            }
            return url
        }
        let revocation = reader.value(.revocationCheck) { (text) throws(SettingText) in
            try Self.word(text, of: RevocationCheck.Mode.self)
        }
        let appStoreProduction = reader.value(.appStoreProduction, BaseURL.secret)
        let appStoreSandbox = reader.value(.appStoreSandbox, BaseURL.secret)
        let commerceProduction = reader.value(.advancedCommerceProduction, BaseURL.secret)
        let commerceSandbox = reader.value(.advancedCommerceSandbox, BaseURL.secret)
        let pagerDuty = reader.value(.pagerDuty, BaseURL.secret)
        let smtp = reader.value(.smtp) { (text) throws(SettingText) in
            guard ["smtp://", "smtps://"].contains(where: { text.hasPrefix($0) && text.count > $0.count }) else {
                throw SettingText("is no address of the form smtp://user@host:587 or smtps://user@host")
            }
            return text
        }
        let mailFrom = reader.value(.mailFrom) { (text) throws(SettingText) in
            guard Person.isEmail(text) else { throw SettingText("is no e-mail address") }
            return text
        }
        let heartbeat = reader.value(.heartbeat) { (text) throws(SettingText) in
            guard ["https://", "http://"].contains(where: { text.hasPrefix($0) && text.count > $0.count }) else {
                throw SettingText("is no address of the form https://host/path")
            }
            return Redacted(text)
        }
        let ranges = reader.value(.trustedProxies, Self.ranges) ?? []
        let signInHeader = reader.value(.signInHeader) { (text) throws(SettingText) in
            guard HeaderFields.isName(text) else { throw SettingText("is no name of a header field") }
            // With nobody to believe it would be a way to lock oneself out, or an open door after a slip of the pen.
            guard !ranges.isEmpty else {
                throw SettingText("needs REFUND_DESK_TRUSTED_PROXIES: the field is believed from those addresses only")
            }
            return text
        }
        let outbound = reader.value(.outboundAllowPrivate) { (text) throws(SettingText) in
            guard let addressGuard = AddressGuard(setting: text) else {
                throw SettingText("is no, yes, or address ranges separated by commas, such as 10.1.0.0/16")
            }
            return addressGuard
        }
        let log = reader.value(.log) { (text) throws(SettingText) in
            guard let level = Journal.Level(name: text) else {
                throw SettingText("is one of debug, info, warning, error")
            }
            return level
        }
        let smtpPassword = reader.text(.smtpPassword).map { Redacted($0) }
        let metricsToken = reader.text(.metricsToken).map { Redacted($0) }
        let outboundProxy = reader.text(.outboundProxy).map { Redacted($0) }
        let (outboundCAFile, publicFolder, trustRoots) = (
            reader.text(.outboundCAFile), reader.text(.publicFolder), reader.text(.trustRoots)
        )
        var keyring = MasterKeyring.none
        if let text = reader.secret(.masterKey, taken: masterKey) {
            do throws(MasterKeyringError) { keyring = try MasterKeyring(text: text) } catch {
                reader.note(.masterKey, "\(error)")
            }
        }
        guard reader.troubles.isEmpty, let database, let listen, let publicURL, let revocation, let appStoreProduction,
            let appStoreSandbox, let commerceProduction, let commerceSandbox, let pagerDuty, let outbound, let log
        else { throw ConfigurationError(troubles: reader.troubles) }
        databaseURL = Redacted(database)
        self.listen = listen
        self.publicURL = publicURL
        self.publicFolder = publicFolder
        self.keyring = keyring
        self.trustRoots = trustRoots
        revocationCheck = revocation
        self.appStoreProduction = appStoreProduction
        self.appStoreSandbox = appStoreSandbox
        advancedCommerceProduction = commerceProduction
        advancedCommerceSandbox = commerceSandbox
        self.pagerDuty = pagerDuty
        self.smtp = smtp
        self.smtpPassword = smtpPassword
        self.mailFrom = mailFrom
        self.heartbeat = heartbeat
        self.outboundProxy = outboundProxy
        self.outboundCAFile = outboundCAFile
        outboundAllowPrivate = outbound
        trustedProxies = ranges
        self.signInHeader = signInHeader
        self.metricsToken = metricsToken
        self.log = log
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, of: Word.Type
    ) throws(SettingText) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw SettingText("is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    private static func ranges(_ text: String) throws(SettingText) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let range = AddressRange(part) else {
                throw SettingText("\"\(part)\" is no address range, such as 10.0.0.0/8, fd00::/8 or unix")
            }
            ranges.append(range)
        }
        return ranges
    }
}
