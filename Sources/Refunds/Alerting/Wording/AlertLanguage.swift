/// The languages that messages are written in. Pages are English.
package enum AlertLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case japanese = "ja"

    /// As its speakers call it.
    package var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        case .japanese: "日本語"
        }
    }

    /// - Parameter zone: in which times are said: a name of the time zone database.
    package func wording(zone: String) -> any Wording {
        let forms = LocalForms(language: self, zone: zone)
        return switch self {
        case .english: EnglishWording(forms: forms)
        case .german: GermanWording(forms: forms)
        case .french: FrenchWording(forms: forms)
        case .spanish: SpanishWording(forms: forms)
        case .japanese: JapaneseWording(forms: forms)
        }
    }
}
