import Tenants
import Time

/// One's own account: name, password, factors, recovery codes, sessions.
struct AccountPage {
    enum Problem: Equatable {
        case refused(SignInError)
        case name(Name.Trouble)
    }

    let frame: Frame
    let session: Session
    let factors: Factors
    let sessions: [SessionLine]
    let passkeys: PasskeyPlace
    let origin: String
    let now: Moment
    var problem: Problem?

    private var isFresh: Bool { session.isFresh(at: now) }

    var html: HTML {
        Layout(frame, title: "Your account").console {
            PageHeader("Your account") { session.email }.html
            if case .refused(let error) = problem {
                Notice(.bad, Words.sentence("\(error)") + ".", more: "Nothing was changed.").html
            }
            if !isFresh {
                div(.class("notice", .plain), .role("note")) {
                    p { strong { "Sign in again to change how you sign in." } }
                    p { a(.class("button"), .href(.signIn(next: Site.account.url))) { "Sign in again" } }
                }
            }
            div(.class("split")) {
                div(.class("split-main")) {
                    generatorPanel
                    passkeyPanel
                    if !factors.confirmed.isEmpty { recoveryPanel }
                    sessionPanel
                }
                div(.class("split-side")) {
                    namePanel
                    passwordPanel
                }
            }
        }
    }

    private var nameTrouble: String? {
        guard case .name(let trouble) = problem else { return nil }
        return Words.sentence("\(trouble)") + "."
    }

    private var namePanel: HTML {
        section(.class("panel")) {
            h2 { "Name" }
            form(.class("stack"), .post, .action(.accountName)) {
                Field(
                    "What colleagues see", name: "name",
                    error: nameTrouble, .type("text"),
                    .value(session.name ?? ""), .autocomplete("name"), .maxlength(100)
                ).html
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }

    private var passwordPanel: HTML {
        section(.class("panel")) {
            h2 { "Password" }
            p { factors.hasPassword ? "You have one." : "You have none yet." }
            p {
                a(.class("button"), .href(.password)) { factors.hasPassword ? "Change password" : "Set a password" }
            }
        }
    }

    private var generatorPanel: HTML {
        let own = factors.confirmed.filter { $0.kind == .generator }
        return section(.class("panel")) {
            h2 { "Codes from an app" }
            if own.isEmpty {
                p(.class("quiet")) {
                    "After the password an app on your telephone shows a code that changes twice a minute."
                }
            } else {
                factorTable(own, caption: "Apps that make codes")
            }
            if isFresh {
                form(.class("stack form-narrow"), .post, .action(.generators)) {
                    Field(
                        "Name of the app or telephone", name: "name", id: "generator-name", .type("text"),
                        .placeholder("Telephone"), .autocomplete("off"), .maxlength(100)
                    ).html
                    button(.class("button"), .type("submit")) { "Set up codes" }
                }
            }
        }
    }

    private var passkeyPanel: HTML {
        let own = factors.confirmed.filter { $0.kind == .passkey }
        return section(.class("panel")) {
            h2 { "Passkeys" }
            if own.isEmpty {
                p(.class("quiet")) {
                    "Sign in without a password: your device keeps a key for this desk and unlocks it by finger, face or PIN."
                }
            } else {
                factorTable(own, caption: "Passkeys")
            }
            if let trouble = passkeys.trouble(at: origin) {
                Notice(.plain, "Passkeys do not work here.", more: trouble).html
            } else if isFresh {
                PasskeyForm(kind: .create, button: "Add a passkey").html {
                    Field(
                        "Name of the device", name: "name", id: "passkey-name", .type("text"),
                        .placeholder("Laptop"), .autocomplete("off"), .maxlength(100)
                    ).html
                }
            }
        }
    }

    private func factorTable(_ factors: [Factor], caption: String) -> HTML {
        DataTable(
            caption: caption,
            columns: [
                .init("Name") { factor in strong { factor.name } },
                .init("Added") { factor in TimeText(factor.createdAt).shortHTML },
                .init("Last used") { factor in
                    if let used = factor.lastUsedAt {
                        TimeText(used).relativeHTML(to: now)
                    } else {
                        span(.class("quiet")) { "never" }
                    }
                },
                .init("Remove") { factor in
                    if isFresh {
                        form(.post, .action(.factorRemoval(factor.id))) {
                            button(.class("button"), .type("submit"), .ariaLabel("Remove \(factor.name)")) { "Remove" }
                        }
                    } else {
                        span(.class("quiet")) { "–" }
                    }
                },
            ], rows: factors
        ).html
    }

    private var recoveryPanel: HTML {
        let left = factors.recoveryCodesLeft
        return section(.class("panel")) {
            h2 { "Recovery codes" }
            if left == 0 {
                Notice(
                    .attention, "You have none.", more: "They let you in on the day the app or the passkey is lost."
                ).html
            } else {
                p { "\(left) left. Each works once, after your password, on the day the app or the passkey is lost." }
            }
            if isFresh {
                form(.post, .action(.recoveryCodes)) {
                    button(.class("button"), .type("submit")) {
                        left == 0 ? "Make recovery codes" : "Make new ones; the old end"
                    }
                }
            }
        }
    }

    private var sessionPanel: HTML {
        section(.class("panel")) {
            div(.class("panel-head")) {
                h2 { "Where you are signed in" }
                if sessions.count > 1 {
                    form(.post, .action(.otherSessionsEnd)) {
                        button(.class("button"), .type("submit")) { "End all others" }
                    }
                }
            }
            DataTable(
                caption: "Sessions",
                columns: [
                    .init("Device") { line in
                        strong { DeviceText.text(line.userAgent) }
                        span(.class("subtext")) { "by \(Words.label(line.method))" }
                    },
                    .init("Address") { line in span(.class("mono")) { line.address ?? "–" } },
                    .init("Signed in") { line in TimeText(line.startedAt).shortHTML },
                    .init("Last seen") { line in
                        if line.isCurrent {
                            Badge(text: "This one", tone: .good).html
                        } else {
                            TimeText(line.seenAt).relativeHTML(to: now)
                        }
                    },
                    .init("End") { line in
                        form(.post, .action(.sessionEnd(line.id))) {
                            button(.class("button"), .type("submit")) { "End" }
                        }
                    },
                ], rows: sessions
            ).html
        }
    }
}

extension Words {
    static func label(_ method: SignInMethod) -> String {
        switch method {
        case .password: "password"
        case .link: "one-time link"
        case .totp: "password and code"
        case .passkey: "passkey"
        case .proxy: "the proxy"
        case .recoveryCode: "password and recovery code"
        case .setUp: "set-up link"
        }
    }
}
