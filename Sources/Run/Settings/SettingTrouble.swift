/// What is wrong with one setting, and what to do; never the value of a secret one.
struct SettingTrouble: Error, Hashable, CustomStringConvertible {
    let name: String
    let text: String
    var description: String { "\(name): \(text)" }
}

/// Everything that is wrong with the settings, all of it at once.
struct ConfigurationError: Error, CustomStringConvertible {
    let troubles: [SettingTrouble]
    var description: String { troubles.map(\.description).joined(separator: "\n") }
}
