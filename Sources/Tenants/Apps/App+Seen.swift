import Crypto
import FoundationEssentials

extension App {
    /// The forms in which people change an app's settings.
    package enum Form: Hashable, Sendable {
        case details, receiver, consent, evidence, callback
    }

    /// Stands in a form for the settings that it shows: another mark means that somebody changed one of them since.
    package func mark(of form: Form) -> String {
        let shown: [String] =
            switch form {
            case .details:
                [name, appleID.map(String.init) ?? "", environments.map(\.rawValue).sorted().joined(separator: " ")]
            case .receiver: [hasOtherReceiver.map(String.init) ?? "", relaySecret?.uuidString ?? ""]
            case .consent: ["\(consent)", consentDeclaration.map { "\($0)" } ?? ""]
            case .evidence: [unreportedDelivery.rawValue, String(sampleContent), evidence.rawValue, callbackURL ?? ""]
            case .callback: [evidence.rawValue, callbackURL ?? ""]
            }
        // Of an address that may hold a token, nothing can be read from it.
        let text = shown.map { "\($0.utf8.count):\($0)" }.joined()
        return Hex.encode(Digest.sha256(Array(text.utf8)).prefix(8))
    }
}

extension AppChanges {
    /// What whoever filled in a form had before their eyes.
    package struct Seen: Hashable, Sendable {
        package let form: App.Form
        package let mark: String

        /// - Parameter mark: as `App.mark` gave it; empty: nil, whoever sends no mark looked at nothing.
        package init?(_ form: App.Form, mark: String) {
            guard !mark.isEmpty else { return nil }
            self.form = form
            self.mark = mark
        }
    }
}
