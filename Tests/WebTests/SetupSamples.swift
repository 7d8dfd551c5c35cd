import FoundationEssentials
import Journal
import Refunds
import Time

@testable import Tenants
@testable import Web

/// Valid models of the setup page, for tests to spoil.
enum SetupSamples {
    static let owner = Membership(
        tenant: Samples.tenant, slug: "alpha", name: "Alpha Games", role: .owner)

    static func frame(_ here: Site, assets: AssetLinks = .none, role: Membership = owner) -> Frame {
        Frame(assets: assets, session: Samples.session, tenant: role, here: here)
    }

    static let site = Site.setup("alpha", bundleID: Samples.alpha.bundleID, done: nil)

    static let keys = [
        KeyStory(
            info: Samples.key, opens: true, standings: [],
            revocation: RevocationAdvice(isSafe: false, why: "It is the key that signs."))
    ]

    /// Nothing was done yet.
    static let begun = SetupModel(
        app: Samples.alpha,
        environments: [
            SetupEnvironment(id: .production, name: "Production"), SetupEnvironment(id: .sandbox, name: "Sandbox"),
        ],
        addresses: .shown([Redacted("n-o-t-a-real-token-0123456789abcdefghijklmn")]),
        readiness: OnboardingStep.allCases.filter { $0 != .paging }.map {
            ReadinessItem(step: $0, state: $0 == .app ? .done : .todo, text: "Something is to be done.")
        })

    /// Everything that can be there is there, troubles among it.
    static let troubled: SetupModel = {
        var model = begun
        model.app = app { values in
            values.consent = .allFrom(Samples.signed - .days(90), wording: "We may pass on what you used.")
            values.declaration = ConsentDeclaration(
                shownWhere: "Terms, section 4", declaredBy: "sam@alpha.example",
                declaredAt: Samples.signed - .days(1))
            values.evidence = .push
        }
        model.keys = keys
        model.environments[0].probe = SetupProbe(
            at: Samples.signed, result: .refused,
            words: ProbeWords(
                summary: "Apple refuses the key in Production (401).", cause: nil,
                ruledOut: ["The clock: it is right."], left: ["The kind of key.", "The issuer ID."],
                remarks: ["The clock drifts."]),
            keyID: Samples.key.keyID)
        model.environments[1].probe = SetupProbe(
            at: Samples.signed, result: .accepted, words: ProbeWords(summary: "Apple accepts the key in Sandbox."),
            keyID: Samples.key.keyID)
        model.environments[0].test = SetupTest(
            state: .notArrived, askedAt: Samples.signed,
            words: TestWords(state: .trouble, summary: "Apple could not reach it.", advice: "Look at the firewall."))
        model.environments[1].test = SetupTest(
            state: .asked, askedAt: Samples.signed, words: TestWords(state: .todo, summary: "Apple was asked."))
        model.environments[1].lastNotification = Samples.signed
        model.receiver = .relay(
            host: "hooks.example",
            standing: RelayStanding(isSet: true, lastSuccessAt: Samples.signed, waiting: 1, givenUp: 2),
            newest: [
                RelayLine(
                    id: Samples.id(61), type: "DID_RENEW", state: .delivered, attempts: 1, createdAt: Samples.signed,
                    status: 200),
                RelayLine(
                    id: Samples.id(62), type: "REFUND", state: .givenUp, attempts: 9, createdAt: Samples.signed,
                    error: "connect: timed out"),
            ])
        model.products = [
            ProductSetting(productID: "pro.yearly", sampleContent: true),
            ProductSetting(productID: "coins.100", sampleContent: false),
        ]
        model.versionOneAt = Samples.signed
        model.hasReports = true
        model.readiness = [
            ReadinessItem(step: .app, state: .done, text: "Done."),
            ReadinessItem(step: .probe, state: .trouble, text: "Apple refuses the key in Production."),
            ReadinessItem(step: .url, state: .todo, text: "No notification has arrived."),
        ]
        return model
    }()

    /// Nothing is left.
    static let ready: SetupModel = {
        var model = begun
        model.keys = keys
        model.readiness = begun.readiness.map { ReadinessItem(step: $0.step, state: .done, text: "Done.") }
        return model
    }()

    struct AppValues {
        var consent = ConsentSetting.perCustomer
        var declaration: ConsentDeclaration?
        var evidence = EvidenceMode.none
        var rehearsal: RehearsalSide?
    }

    static func app(_ change: (inout AppValues) -> Void) -> App {
        var values = AppValues()
        change(&values)
        return App(
            tenant: Samples.tenant, id: AppID(rawValue: 11), bundleID: "com.example.alpha", name: "Alpha",
            rehearsal: values.rehearsal, consent: values.consent, consentDeclaration: values.declaration,
            evidence: values.evidence)
    }

    static func page(
        _ model: SetupModel, canChange: Bool = true, answer: SetupAnswer? = nil, assets: AssetLinks = .none
    ) -> SetupPage {
        SetupPage(
            frame: frame(site, assets: assets), slug: "alpha", model: model, publicURL: "https://refunds.example",
            canChange: canChange, now: Samples.now, answer: answer)
    }

    /// Every form of the pages there is, by a name for its picture.
    static func pages(assets: AssetLinks = .none) -> [(name: String, html: HTML)] {
        var viewed = troubled
        viewed.addresses = .counted(2)
        var closed = begun
        closed.canSeal = false
        closed.addresses = .unreadable
        var rehearsal = begun
        rehearsal.app = app { $0.rehearsal = RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9090") }
        rehearsal.environments = [SetupEnvironment(id: .production, name: "Rehearsal")]
        var made = page(troubled, assets: assets)
        made.newToken = Redacted("rd_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")
        let wrong = SetupAnswer(
            part: .key, tone: .bad, text: "This key was not taken.", more: "It is an RSA key.",
            fields: ["issuerID": "x"], wrong: "issuerID")
        let new = Site.newApp("alpha")
        var list = NewAppPage(frame: frame(new, assets: assets), slug: "alpha", isFirst: false)
        list.form = .list
        list.fields = ["list": "???"]
        list.outcomes = [
            .init(line: 1, text: "com.example.one", bundleID: "com.example.one", trouble: nil),
            .init(line: 2, text: "???", bundleID: "", trouble: "\"???\" cannot be a bundle ID"),
        ]
        var bad = NewAppPage(frame: frame(new, assets: assets), slug: "alpha", isFirst: true)
        bad.form = .rehearsal
        bad.trouble = "The simulator's address must begin with https://."
        bad.wrong = "apiURL"
        return [
            ("setup-begun", page(begun, assets: assets).html),
            ("setup-troubled", page(troubled, assets: assets).html),
            ("setup-ready", page(ready, assets: assets).html),
            ("setup-viewed", page(viewed, canChange: false, assets: assets).html),
            ("setup-closed", page(closed, assets: assets).html),
            ("setup-rehearsal", page(rehearsal, assets: assets).html),
            ("setup-wrong", page(begun, answer: wrong, assets: assets).html),
            ("setup-token", made.html),
            ("new-app", NewAppPage(frame: frame(new, assets: assets), slug: "alpha", isFirst: true).html),
            ("new-app-list", list.html),
            ("new-app-wrong", bad.html),
        ]
    }
}
