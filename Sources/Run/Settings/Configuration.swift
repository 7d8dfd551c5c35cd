import AppStore
import Crypto
import HTTP
import Journal
import Loop
import Mail
import Refunds
import Tenants

/// Every setting, read and checked.
struct Configuration: Sendable {
    let databaseURL: Redacted<String>
    /// Of the volume that the database stands on; nil where nobody said.
    let databaseBytes: Int64?
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
    /// Where the services that reach people are called.
    let channels: ChannelBases
    let mailServer: MailServer?
    let mailFrom: MailAddress?
    let heartbeat: Redacted<String>?
    let outboundProxy: Redacted<String>?
    let outboundCAFile: String?
    let outboundAllowPrivate: AddressGuard
    let trustedProxies: [AddressRange]
    let signInHeader: String?
    let metricsToken: Redacted<String>?
    /// How long a process that stops says that it is not ready while it goes on serving: 0 to 10 s.
    let stopDelay: Duration
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
        let databaseBytes = reader.value(.databaseBytes) { (text) throws(SettingText) in
            guard let bytes = ByteCount.read(text), bytes >= ByteCount.volumeMin else {
                throw SettingText("is no size of a volume, such as 100G (units of 1024: K, M, G, T) or 107374182400")
            }
            return bytes
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
        let channels = publicURL.flatMap { Self.channels(&reader, publicURL: $0) }
        let (mailServer, mailFrom) = Self.mail(&reader)
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
        let stopDelay = reader.value(.stopDelay) { (text) throws(SettingText) in
            guard let seconds = Int(text), 0...10 ~= seconds else {
                throw SettingText("is no whole number of seconds from 0 to 10")
            }
            return Duration.seconds(seconds)
        }
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
            let appStoreSandbox, let commerceProduction, let commerceSandbox, let channels, let outbound, let stopDelay,
            let log
        else { throw ConfigurationError(troubles: reader.troubles) }
        databaseURL = Redacted(database)
        self.databaseBytes = databaseBytes
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
        self.channels = channels
        self.mailServer = mailServer
        self.mailFrom = mailFrom
        self.heartbeat = heartbeat
        self.outboundProxy = outboundProxy
        self.outboundCAFile = outboundCAFile
        outboundAllowPrivate = outbound
        trustedProxies = ranges
        self.signInHeader = signInHeader
        self.metricsToken = metricsToken
        self.stopDelay = stopDelay
        self.log = log
    }

    /// Where tenants' addresses may lead.
    var outboundRules: OutboundRules { OutboundRules(outboundAllowPrivate, publicURL: publicURL.text) }

    private static func channels(_ reader: inout SettingsReader, publicURL: BaseURL) -> ChannelBases? {
        var bases = ChannelBases(publicURL: publicURL.text)
        let settings: [(Setting, WritableKeyPath<ChannelBases, String>)] = [
            (.pagerDuty, \.pagerDuty), (.slack, \.slack), (.jsm, \.jsm), (.opsgenie, \.opsgenie),
            (.discord, \.discord), (.telegram, \.telegram), (.pushover, \.pushover), (.googleChat, \.googleChat),
        ]
        var isWhole = true
        for (setting, base) in settings {
            if let url = reader.value(setting, BaseURL.secret) {
                bases[keyPath: base] = url.text
            } else {
                isWhole = false
            }
        }
        return isWhole ? bases : nil
    }

    /// A server is of no use without the address that mails come from.
    private static func mail(_ reader: inout SettingsReader) -> (MailServer?, MailAddress?) {
        let from = reader.value(.mailFrom) { (text) throws(SettingText) in
            guard let address = MailAddress(text) else { throw SettingText("is no e-mail address") }
            return address
        }
        let password = reader.text(.smtpPassword).map { Redacted($0) }
        let server = reader.value(.smtp) { (text) throws(SettingText) in
            do throws(MailServerError) {
                return try MailServer(url: text, password: password)
            } catch {
                throw SettingText(error.description)
            }
        }
        if server != nil, from == nil, !reader.troubles.contains(where: { $0.name == Setting.mailFrom.name }) {
            reader.note(.mailFrom, "is not set: \(Setting.smtp.name) needs the address that mails come from")
        }
        return (server, from)
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
