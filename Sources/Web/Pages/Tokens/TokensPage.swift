import FoundationEssentials
import Journal
import Refunds
import Tenants
import Time

/// The tokens with which a tenant's own backend calls the API.
struct TokensPage {
    let frame: Frame
    let slug: String
    let tokens: [APITokenSummary]
    let makers: [PersonID: String]
    /// In use; a token may be tied to one.
    let apps: [App]
    let now: Moment
    /// Made just now.
    var made: NewAPIToken?
    /// Why none was made.
    var trouble: String?
    var wanted = Wanted()
    /// Of the form: sent twice it makes no second token.
    var once = UUID()

    /// What was asked for, where it was not taken.
    struct Wanted {
        var name = ""
        var app: String?
        var scopes: Set<String> = []
        var life = TokenLife.usual
        /// Names of fields, and what is wrong with them.
        var errors: [String: String] = [:]
    }

    var html: HTML {
        Layout(frame, title: "API tokens").console {
            PageHeader("API tokens") {
                "What your own backend shows when it reports consent and use or reads cases. Only digests are kept."
            }.html
            if let trouble { Notice(.attention, "No token was made.", more: trouble).html }
            if let made { shown(made) }
            if tokens.isEmpty {
                EmptyState(.key, "No token in use") {
                    p { "Your backend needs one to report consent and usage, without which requests are not answered." }
                }.html
            } else {
                list
            }
            add
        }
    }

    private func shown(_ made: NewAPIToken) -> HTML {
        section(.class("panel"), .ariaLabelledBy("token-once")) {
            h2(.id("token-once")) { "The new token" }
            p {
                "Copy it now into your backend's secrets: it is shown this once."
                if let end = made.expiresAt {
                    " It ends at "
                    TimeText(end).shortHTML
                    "."
                }
            }
            CodeBlock(made.text.reveal(), label: "Token").html
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Tokens in use, newest first",
            columns: [
                .init("Token") { line in
                    strong { line.name.isEmpty ? "without a name" : line.name }
                    span(.class("subtext mono")) { "\(line.prefix)…" }
                },
                .init("May") { line in
                    span { line.token.scopes.map(\.rawValue).sorted().joined(separator: ", ") }
                    span(.class("subtext")) { reach(line) }
                },
                .init("Made") { line in
                    TimeText(line.createdAt).shortHTML
                    span(.class("subtext")) { "by \(maker(line))" }
                },
                .init("Last used") { line in
                    if let day = line.lastUsedOn {
                        span { day }
                    } else {
                        span(.class("quiet")) { "never" }
                    }
                },
                .init("Ends") { line in end(line) },
                .init("Revoke") { line in
                    form(.post, .action(.tokenRemoval(slug, line.token.id))) {
                        button(.class("button"), .type("submit"), .ariaLabel("Revoke the token \(line.prefix)…")) {
                            "Revoke"
                        }
                    }
                },
            ], rows: tokens
        ).html
    }

    private func reach(_ line: APITokenSummary) -> String {
        guard let id = line.token.app else { return "all apps" }
        return apps.first { $0.id == id }?.name ?? "a removed app"
    }

    private func maker(_ line: APITokenSummary) -> String {
        guard let id = line.createdBy else { return "the command line" }
        return makers[id] ?? "somebody who is gone"
    }

    private func end(_ line: APITokenSummary) -> HTML {
        guard let end = line.expiresAt else { return span(.class("quiet")) { "never" } }
        if line.hasEnded(at: now) { return Badge(text: "Ended", tone: .bad).html }
        let text = TimeText(end).relativeHTML(to: now)
        guard line.endsSoon(at: now) else { return text }
        return span {
            Badge(text: "Soon", tone: .attention).html
            " "
            text
        }
    }

    private var add: HTML {
        section(.class("panel"), .ariaLabelledBy("new-token")) {
            h2(.id("new-token")) { "New token" }
            form(.class("stack form-narrow"), .post, .action(.tokens(slug))) {
                input(.type("hidden"), .name("once"), .value(once.text))
                Field(
                    "Name", name: "name", help: "Where it is used, such as “shop backend”.",
                    error: wanted.errors["name"], .type("text"), .required, .value(wanted.name), .autocomplete("off"),
                    .maxlength(100)
                ).html
                Field(
                    "Reaches", name: "app",
                    choices: [("", "All apps")] + apps.filter { !$0.isRemoved }.map { ($0.bundleID, $0.name) },
                    selected: wanted.app
                ).html
                CheckList(
                    label: "May", name: "scope",
                    items: APIScope.allCases.map { .init(value: $0.rawValue, text: $0.rawValue, more: $0.meaning) },
                    checked: wanted.scopes, error: wanted.errors["scope"]
                ).html
                Field(
                    "Good for", name: "life", choices: TokenLife.allCases.map { ($0.rawValue, $0.text) },
                    selected: wanted.life.rawValue, error: wanted.errors["life"]
                ).html
                p(.class("quiet")) {
                    "A token that was forgotten somewhere ends by itself; in its last two weeks this page says so."
                }
                button(.class("button button-main"), .type("submit")) { "Make a token" }
            }
        }
    }
}
