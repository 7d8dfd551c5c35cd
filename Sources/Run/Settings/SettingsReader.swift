import Crypto
import Journal

/// Reads settings from an environment and from the files it names, and gathers what is wrong.
struct SettingsReader {
    /// A master key file holds a few lines; no other secret is longer.
    static let fileBytesMax = 64 * 1024

    private let environment: [String: String]
    private(set) var troubles: [SettingTrouble] = []

    init(environment: [String: String]) {
        self.environment = environment
        let known = Set(Setting.all.flatMap { [$0.name, $0.fileName] })
        for name in environment.keys.sorted() where name.hasPrefix("REFUND_DESK_") && !known.contains(name) {
            let hint = Self.near(name, among: known).map { "; did you mean \($0)?" } ?? ""
            troubles.append(SettingTrouble(name: name, text: "there is no such setting\(hint)"))
        }
    }

    mutating func note(_ setting: Setting, _ text: String) {
        troubles.append(SettingTrouble(name: setting.name, text: text))
    }

    /// The value as given, or its default; nil where there is neither. An empty value counts as none.
    mutating func text(_ setting: Setting) -> String? {
        given(setting) ?? setting.standard
    }

    /// The value through its check; a bad one is noted and answered with nil.
    mutating func value<T>(_ setting: Setting, _ check: (String) throws(SettingText) -> T) -> T? {
        guard let text = text(setting) else { return nil }
        do throws(SettingText) {
            return try check(text)
        } catch {
            note(setting, error.text)
            return nil
        }
    }

    /// The master key, which never becomes a string: from its file, or as it was taken out of the environment.
    mutating func secret(_ setting: Setting, taken: consuming SecretBytes?) -> SecretBytes? {
        let path = environment[setting.fileName] ?? ""
        if let taken, taken.count > 0 {
            if !path.isEmpty { note(setting, "is set together with \(setting.fileName): remove one of them") }
            return taken
        }
        guard !path.isEmpty else { return nil }
        do throws(SecretReadError) {
            return try SecretBytes.file(path, bytesMax: Self.fileBytesMax)
        } catch {
            note(
                setting,
                """
                the file \(path) that \(setting.fileName) names could not be read: \(error). Restore it from its \
                backup; a first one is written by "refund-desk master-key new --file \(path)"
                """)
            return nil
        }
    }

    private mutating func given(_ setting: Setting) -> String? {
        let direct = environment[setting.name] ?? ""
        let path = environment[setting.fileName] ?? ""
        if !direct.isEmpty, !path.isEmpty {
            note(setting, "is set together with \(setting.fileName): remove one of them")
            return nil
        }
        if !direct.isEmpty { return direct }
        guard !path.isEmpty else { return nil }
        do throws(SecretReadError) {
            let bytes = try SecretBytes.file(path, bytesMax: Self.fileBytesMax)
            let text = bytes.withBytes { bytes in
                String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
            }
            let value = text.reversed().drop { $0.isNewline || $0 == " " || $0 == "\t" }.reversed()
            return value.isEmpty ? nil : String(value)
        } catch {
            note(setting, "the file \(path) that \(setting.fileName) names could not be read: \(error)")
            return nil
        }
    }

    /// The name that was meant, where one is close: a third of the letters behind `REFUND_DESK_` may differ, three
    /// at most.
    static func near(_ name: String, among known: some Sequence<String>) -> String? {
        let letters = name.utf8.count - "REFUND_DESK_".utf8.count
        let nearest = known.map { ($0, distance(name, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        return nearest.flatMap { $0.1 <= min(3, max(1, letters / 3)) ? $0.0 : nil }
    }

    /// How many letters apart two names are (Levenshtein).
    static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        var row = Array(0...b.count)
        for i in 0..<a.count {
            var before = row[0]
            row[0] = i + 1
            for j in 0..<b.count {
                let next = min(row[j] + 1, row[j + 1] + 1, before + (a[i] == b[j] ? 0 : 1))
                before = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[b.count]
    }
}

/// What is wrong with a value, in words.
struct SettingText: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
