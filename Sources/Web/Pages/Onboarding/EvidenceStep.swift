import Journal
import Refunds
import Tenants
import Time

/// Step 6: what is said where nothing is reported, and how reports come.
struct EvidenceStep {
    let page: SetupPage
    private var model: SetupModel { page.model }
    private var app: App { model.app }

    var html: HTML {
        Step(
            .evidence, of: page,
            lead:
                "Apple wants to know of every purchase whether it was delivered and whether there was a free sample. What your backend reports is used; what it does not report is answered by these settings, and each case says so."
        ) {
            page.answer(to: .evidence)
            Facts([
                (
                    "Nothing reported",
                    HTML(
                        text: app.unreportedDelivery == .delivered
                            ? "sent as DELIVERED, “by the app's setting”" : "nothing is sent")
                ),
                (
                    "Free sample",
                    HTML(text: app.sampleContent ? "yes, unless reported otherwise" : "no, unless reported otherwise")
                ),
                ("Reports", HTML(text: way)),
            ]).html
            if page.canChange { settings }
            p {
                a(.href(.evidence(page.slug, bundleID: app.bundleID, .now))) {
                    "Evidence: the callback's secret and test, how use is reckoned, files"
                }
            }
            products
            if app.evidence == .push { push }
        }.html
    }

    private var way: String {
        switch app.evidence {
        case .none: "none: the settings speak"
        case .push: "your backend pushes consent and use through the API"
        case .callback:
            // Such addresses often hold a token: who may not change it does not see it.
            "asked from \(page.canChange ? app.callbackURL ?? "your backend" : "your backend") when a request arrives\(app.isAsked ? "" : ", as soon as a secret is made")"
        }
    }

    private var isWrong: Bool { page.answer?.part == .evidence && page.answer?.tone == .bad }

    private var settings: HTML {
        details(.class("opening"), isWrong ? .open : .id("change-evidence")) {
            summary { "Change" }
            Web.form(.class("step-form"), .post, page.action(.evidence)) {
                SeenField(page.model.app, .evidence).html
                Choices(
                    legend: "When nothing is reported about delivery", name: "unreported",
                    choices: [
                        .init(
                            value: "delivered", text: "Say it was delivered",
                            more: "For apps that deliver at once and notice when they do not."),
                        .init(value: "withhold", text: "Do not answer", more: "The case says: delivery not reported."),
                    ], chosen: page.typed("unreported", in: .evidence, else: app.unreportedDelivery.rawValue)
                ).html
                Choices(
                    legend: "Could customers try it before buying?", name: "sample",
                    choices: [
                        .init(value: "no", text: "No free sample"), .init(value: "yes", text: "Yes, a sample or trial"),
                    ], chosen: page.typed("sample", in: .evidence, else: app.sampleContent ? "yes" : "no")
                ).html
                Choices(
                    legend: "How use and delivery are reported", name: "way",
                    choices: [
                        .init(value: "none", text: "Not at all"),
                        .init(
                            value: "push", text: "Our backend pushes them",
                            more: "A call after each purchase and use; code below."),
                        .init(
                            value: "callback", text: "Our backend is asked",
                            more:
                                "A signed question at each request; its secret is made, and the answer tried, on the page Evidence."
                        ),
                    ], chosen: page.typed("way", in: .evidence, else: app.evidence.rawValue)
                ).html
                Field(
                    "Callback URL", name: "callbackURL", help: "Only with the last choice.",
                    error: page.wrong("callbackURL", in: .evidence), .type("url"), .maxlength(2048),
                    .value(page.typed("callbackURL", in: .evidence, else: app.callbackURL ?? "")),
                    .placeholder("https://")
                ).html
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }

    private var products: HTML {
        if model.products.isEmpty && !page.canChange { return .empty }
        return div(.class("step-part")) {
            h3 { "Products that differ" }
            page.answer(to: .product)
            if !model.products.isEmpty {
                ul(.class("plain-list")) {
                    for product in model.products {
                        li {
                            span(.class("mono")) { product.productID }
                            product.sampleContent == true ? ": free sample" : ": no free sample"
                        }
                    }
                }
            }
            if page.canChange {
                details(.class("opening"), page.answer?.part == .product ? .open : .id("change-product")) {
                    summary { "Set one product's free sample" }
                    Web.form(.class("step-form"), .post, page.action(.product)) {
                        Field(
                            "Product ID", name: "productID", error: page.wrong("productID", in: .product), .required,
                            .maxlength(200), .noSpellcheck, .value(page.typed("productID", in: .product))
                        ).html
                        Choices(
                            legend: "Free sample of it", name: "productSample",
                            choices: [
                                .init(value: "yes", text: "Yes"), .init(value: "no", text: "No"),
                                .init(value: "app", text: "As the app says"),
                            ], chosen: page.typed("productSample", in: .product, else: "yes")
                        ).html
                        button(.class("button"), .type("submit")) { "Save" }
                    }
                }
            }
        }
    }

    // MARK: Push

    private var push: HTML {
        div(.class("step-part")) {
            h3 { "Code for your backend" }
            page.answer(to: .token, .trial)
            live
            if page.canChange {
                div(.class("step-actions")) {
                    Web.form(.post, page.action(.token)) {
                        input(.type("hidden"), .name("once"), .value(page.once.text))
                        button(.class("button"), .type("submit")) {
                            model.tokens.isEmpty ? "Make an API token" : "Make another API token"
                        }
                    }
                    Web.form(.post, page.action(.trial)) {
                        button(.class("button"), .type("submit")) { "Try it" }
                    }
                }
                if let newToken = page.newToken {
                    CopyField(label: "The token, shown this once", id: "api-token", text: newToken.reveal()).html
                } else {
                    p(.class("quiet")) {
                        "A token just made stands in the code below, once. Otherwise put yours in its place."
                    }
                }
            }
            snippets
        }
    }

    var live: HTML {
        div(.live("reports")) {
            p {
                model.hasReports ? "Your backend has reported something." : "Your backend has reported nothing yet."
            }
        }
    }

    private var snippets: HTML {
        let samples = Snippets(
            publicURL: page.publicURL, bundleID: app.bundleID, token: page.newToken?.reveal() ?? "rd_…")
        return div(.class("snippets")) {
            for (index, language) in Snippets.Language.allCases.enumerated() {
                let id = "snippet-\(language.rawValue)"
                details(.class("opening"), index == 0 ? .open : .nicety("snippet")) {
                    summary { language.name }
                    div(.class("snippet-head")) {
                        button(.class("button"), .type("button"), .copies(id), .hidden) { "Copy" }
                    }
                    pre(
                        .class("code-block"), .id(id), .tabindex(0), .role("region"),
                        .ariaLabel("Code in \(language.name)")
                    ) {
                        code { samples.text(language) }
                    }
                }
            }
        }
    }
}
