import Refunds
import Tenants

/// What is said after a form.
enum SetupWords {
    /// After a form that was taken.
    static func done(_ part: SetupPart, _ model: SetupModel) -> SetupAnswer {
        switch part {
        case .details: SetupAnswer(part: part, tone: .good, text: "Saved.")
        case .appleID:
            SetupAnswer(
                part: part, tone: .good,
                text: "Saved: the Apple ID is \(model.app.appleID.map { "\($0)" } ?? "not given").",
                more: "Send another test: what was refused before does not come back by itself at once.")
        case .key: key(model)
        case .probe: SetupAnswer(part: part, tone: .plain, text: "Tried just now.")
        case .receiver: receiver(model)
        case .redelivery:
            SetupAnswer(
                part: part, tone: .plain, text: "They are tried again now, and for another three days.",
                more: "At most 1,000 at once, the newest first. The delivery log shows how they fare.")
        case .test:
            SetupAnswer(
                part: part, tone: .plain,
                text: model.app.isRehearsal ? "The simulator was asked." : "Apple was asked.",
                more: "What came of it stands below.")
        case .consent:
            switch model.app.consent {
            case .perCustomer:
                SetupAnswer(
                    part: part, tone: .good, text: "Saved: each customer is asked.",
                    more: "Nobody is answered for until your backend reports that they agreed.")
            case .allFrom:
                SetupAnswer(
                    part: part, tone: .good, text: "Declared.",
                    more:
                        "It is in the audit log with your name. Withdrawals are obeyed from the moment they are reported."
                )
            }
        case .evidence, .product: SetupAnswer(part: part, tone: .good, text: "Saved.")
        case .token, .trial: SetupAnswer(part: part, tone: .plain, text: "That is shown once, right after it is made.")
        }
    }

    private static func key(_ model: SetupModel) -> SetupAnswer {
        guard let newest = model.keys.map(\.info).max(by: { $0.createdAt < $1.createdAt }) else {
            return SetupAnswer(part: .key, tone: .plain, text: "There is no key.")
        }
        var more =
            "The fingerprint of its public key is \(newest.fingerprint). A test signature was made before it was saved. It is never shown again."
        if newest.fileName?.hasPrefix("AuthKey_") == true, !model.app.isRehearsal {
            more +=
                " Its file is named AuthKey_…: App Store Connect names keys of the App Store Connect API so, and Apple refuses those here. If the try below is refused, make an In-App Purchase key."
        }
        let (text, isOther) = signing(newest, model)
        if let text { more += " " + text }
        return SetupAnswer(
            part: .key, tone: isOther ? .attention : .good, text: "Key \(newest.keyID) is saved.", more: more)
    }

    /// Which key signs now that another was added, where there are several.
    ///
    /// - Returns: whether the new one does not sign here, though it was added here.
    private static func signing(_ newest: SigningKeyInfo, _ model: SetupModel) -> (text: String?, isOther: Bool) {
        let others = model.keys.map(\.info).filter { $0.id != newest.id && $0.state != .retired }
        guard !others.isEmpty else { return (nil, false) }
        if newest.app == nil, let own = others.first(where: { $0.app != nil && $0.state == .active }) {
            return (
                "It serves the other apps of the tenant. \(model.app.name) has a key of its own, and \(own.keyID) goes on signing for it.",
                true
            )
        }
        let elsewhere =
            newest.app == nil ? " The same goes for every other app of the tenant without a key of its own." : ""
        let places = model.environments.filter { $0.signer != newest.id }
        let signers = Set(
            places.compactMap { place in model.keys.first { $0.info.id == place.signer }?.info.keyID }
        ).sorted().joined(separator: " and ")
        guard !places.isEmpty, !signers.isEmpty else {
            let kept = others.filter { $0.app == newest.app && $0.state == .retiring }.map(\.keyID)
            let wide = others.first { newest.app != nil && $0.app == nil && $0.state == .active }
            var text = "It is the one that signs from now on"
            if let wide { text += ", in place of \(wide.keyID), which serves the tenant's other apps" }
            if !kept.isEmpty {
                text +=
                    "; \(kept.joined(separator: ", ")) \(kept.count == 1 ? "is" : "are") kept for a while, for where the new one is refused"
            }
            return ("\(text).\(elsewhere)", false)
        }
        let names = places.map(\.name).joined(separator: " and ")
        return (
            "It was not accepted for this app in \(names) yet: until it is, \(signers) goes on signing there.\(elsewhere)",
            true
        )
    }

    private static func receiver(_ model: SetupModel) -> SetupAnswer {
        switch model.receiver {
        case .relay(let host, _, _):
            SetupAnswer(
                part: .receiver, tone: .good, text: "Every original notification is passed on to \(host).",
                more: "From the next one on. Switch off that receiver's own refund answers, if it has them.")
        case .nobody, .notAsked:
            SetupAnswer(part: .receiver, tone: .good, text: "Saved: nothing is passed on.")
        }
    }

    static func noMasterKey(_ part: SetupPart) -> SetupAnswer {
        SetupAnswer(
            part: part, tone: .bad, text: "This installation has no master key.",
            more: "Nothing secret can be kept without one. Whoever runs it makes one: refund-desk master-key new.")
    }

    static func tried(_ state: Reports.UsageState) -> SetupAnswer {
        let stored = [
            state.deliveryStatus.map { "deliveryStatus \($0.value)" },
            state.consumptionPercentage.map { "consumptionPercentage \($0.value)" },
            state.sampleContentProvided.map { "sampleContentProvided \($0.value)" },
        ].compactMap { $0 }.joined(separator: ", ")
        return SetupAnswer(
            part: .trial, tone: .good, text: "It works: consent and use were stored.",
            more:
                "Reported for the customer \(NobodysPurchase.customer) and the transaction \(NobodysPurchase.transactionID), which are nobody's: \(stored). The code below sends the same through the API. It counts as nobody's consent."
        )
    }

    /// How the page calls a member of `AppChanges`, and the field it stands in.
    static func field(_ member: String) -> (label: String, name: String?) {
        switch member {
        case "name": ("the name", "name")
        case "seen": ("these settings", nil)
        case "appleID": ("the Apple ID", "appleID")
        case "environments": ("the choice of environments", nil)
        case "consent": ("the choice of how they consent", nil)
        case "unreportedDelivery": ("the choice of what to say about delivery", nil)
        case "sampleContent": ("the choice about sample content", nil)
        case "evidence": ("the choice of how use is reported", nil)
        case "relayURL": ("the other receiver's URL", "relayURL")
        case "hasOtherReceiver": ("the question about another receiver", nil)
        case "consentFrom": ("the first day", "since")
        case "consentWording": ("the wording", "wording")
        case "consentShownWhere": ("the place where it is shown", "shownWhere")
        case "declared": ("the declaration", nil)
        case "callbackURL": ("the callback URL", "callbackURL")
        case "productID": ("the product ID", "productID")
        case "productSample": ("the choice about its free sample", nil)
        case "environment": ("the choice of the environment", nil)
        case "bundleID": ("the bundle ID", "bundleID")
        case "apiURL": ("the simulator's address", "apiURL")
        case "trustRoot": ("the root certificate", nil)
        case "list": ("the list", "list")
        default: (member, nil)
        }
    }

    static func field(of error: SigningKeyUploadError) -> String? {
        switch error {
        case .badKeyID: "keyID"
        case .badIssuerID: "issuerID"
        default: nil
        }
    }
}
