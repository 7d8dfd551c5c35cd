import Crypto
import Foundation
import Journal
import Mail
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

extension IncidentSentence {
    /// Each of its cases, with figures of one and of many.
    static let samples: [IncidentSentence] = {
        let waiting = [
            WaitingRequests(count: 0, leftSeconds: nil), WaitingRequests(count: 1, leftSeconds: 7080),
            WaitingRequests(count: 14, leftSeconds: -5),
        ]
        let places: [DriftPlace] = [.product("coins.100"), .version("412"), .storefront("DEU"), .wholeApp]
        var all: [IncidentSentence] = [
            .sealedUnreadable(subject: "signing key AB", isKey: true, step: "Do this."),
            .sealedUnreadable(subject: "inbox 3", isKey: false, step: "Do this."), .clockOff(offsetSeconds: 600),
            .clockOff(offsetSeconds: -600), .versionOneArrives(app: "com.a"), .noChannel, .noChannelWorks,
            .databaseSlow(milliseconds: 1200), .databaseFull(detail: "ENOSPC"),
            .databaseFilling(usedBytes: 90 << 30, sizeBytes: 100 << 30), .databaseUnreachable(detail: "refused"),
            .masterKeyMissing(host: "web-1"),
            .revocationUnreachable(host: "web-1", sinceMilliseconds: 1_796_037_854_315),
            .diskFull(host: "web-1", path: "/", freeBytes: 1 << 30, sizeBytes: 100 << 30),
            .certificateRefused(fault: "expired"), .certificateEnding(endsMilliseconds: 1_796_037_854_315),
            .appleSilent(app: "com.a", sinceMilliseconds: 1_796_037_854_315, gapSeconds: 7200, why: nil),
            .callbackFailing(app: "com.a", said: "HTTP 500", without: 0),
            .historyUnread(app: "com.a", said: "502"), .historyFetched(app: "com.a", count: 1),
            .historyFetched(app: "com.a", count: 1200),
            .appleSilent(app: "com.a", sinceMilliseconds: 0, gapSeconds: 40, why: "It has no key."),
        ]
        for one in waiting {
            all += [
                .credentialsRefused(key: "ABC123", apps: ["com.a"], waiting: one),
                .credentialsRefused(key: "ABC123", apps: ["com.a", "com.b", "com.c", "com.d"], waiting: one),
                .keyAbsent(app: "com.a", waiting: one), .repliesFailing(app: "com.a", said: "", waiting: one),
                .repliesFailing(app: "com.a", said: "HTTP 500", waiting: one),
            ]
        }
        for count in [1, 1234] {
            all += [
                .deadlineAtRisk(app: "com.a", count: count, leftSeconds: 7080),
                .deadlineMissed(app: "com.a", count: count),
                .commerceStopped(app: "com.a", said: "HTTP 403", waiting: count),
                .commerceStopped(app: "com.a", said: "", waiting: count),
                .commerceFailing(app: "com.a", count: count, newest: "4000001"),
                .notificationsRefused(app: "com.a", count: count, reason: "signature"),
                .relayFailing(app: "com.a", said: "HTTP 500", waiting: count),
                .callbackFailing(app: "com.a", said: "HTTP 500", without: count),
                .consentMissing(app: "com.a", without: count, requests: 2000),
                .consentRescinded(app: "com.a", count: count),
                .channelFailing(name: "Nights", kind: "Slack", isOff: count == 1, said: "no_service"),
                .channelsFailing(count: count, name: "Nights", kind: "Slack", isOff: count == 1, said: "no_service"),
                .queueOld(waitedSeconds: 600, ready: count), .workerStuck(count: count),
            ]
            for place in places {
                all += [
                    .reasonDrift(app: "com.a", reason: "LEGAL", place: place, count: count, usual: 1.25),
                    .developerIssues(app: "com.a", place: place, count: count, usual: 1),
                ]
            }
        }
        return all
    }()

    /// A number for each case: one that is added here needs a sample above.
    fileprivate var number: Int {
        switch self {
        case .credentialsRefused: 0
        case .keyAbsent: 1
        case .sealedUnreadable: 2
        case .clockOff: 3
        case .repliesFailing: 4
        case .deadlineAtRisk: 5
        case .deadlineMissed: 6
        case .commerceStopped: 7
        case .commerceFailing: 8
        case .notificationsRefused: 9
        case .versionOneArrives: 10
        case .appleSilent: 11
        case .relayFailing: 12
        case .consentMissing: 13
        case .reasonDrift: 14
        case .developerIssues: 15
        case .channelFailing: 16
        case .channelsFailing: 17
        case .noChannel: 18
        case .noChannelWorks: 19
        case .queueOld: 20
        case .workerStuck: 21
        case .databaseSlow: 22
        case .databaseFull: 23
        case .databaseFilling: 24
        case .databaseUnreachable: 25
        case .masterKeyMissing: 26
        case .revocationUnreachable: 27
        case .diskFull: 28
        case .certificateRefused: 29
        case .certificateEnding: 30
        case .historyUnread: 31
        case .historyFetched: 32
        case .callbackFailing: 33
        case .consentRescinded: 34
        }
    }
}

@Suite struct `What is said of incidents` {
    private func texts(_ said: SaidOfIncident) -> [String] { [said.title, said.effect, said.firstStep] }

    @Test func `has a sample of every sentence`() {
        #expect(Set(IncidentSentence.samples.map(\.number)) == Set(0...34))
    }

    @Test(arguments: AlertLanguage.allCases)
    func `is whole in each language, with the names and figures of English`(language: AlertLanguage) {
        let (ours, english) = (language.wording(zone: "UTC"), EnglishWording.ofPages)
        for sentence in IncidentSentence.samples {
            let (said, plain) = (ours.said(sentence), english.said(sentence))
            for (text, original) in zip(texts(said), texts(plain)) {
                #expect(!text.isEmpty && !text.contains("  "), "\(text)")
                // What stands in a sentence is no word of ours: a copy would be a sentence that nobody translated.
                let isForeign = original == "Do this."
                #expect(language == .english || isForeign || text != original, "\(text)")
                for name in [
                    "com.a", "ABC123", "coins.100", "412", "DEU", "web-1", "HTTP 500", "no_service", "signature",
                ] {
                    #expect(!original.contains(name) || text.contains(name), "\(name): \(text)")
                }
            }
        }
    }

    @Test(arguments: AlertLanguage.allCases)
    func `names every label, event and severity`(language: AlertLanguage) {
        let (ours, english) = (language.wording(zone: "UTC"), EnglishWording.ofPages)
        let events: [Notice.Event] = [.trigger, .reminder, .acknowledged(by: "Mira"), .resolved, .test, .confirm]
        var words = NoticeLabel.allCases.map { (ours.label($0), english.label($0)) }
        words += events.map { (ours.standing($0, .critical), english.standing($0, .critical)) }
        words += Severity.allCases.map { (ours.word($0), english.word($0)) } + [(ours.over, english.over)]
        for (word, original) in words {
            // "error" is Spanish too.
            #expect(!word.isEmpty && (language == .english || word != original || original == "error"), "\(word)")
        }
        let heads = events.map { ours.headline($0, "T.") }
        #expect(Set(heads).count == 5 && heads.allSatisfy { $0.contains("T.") } && heads[2].contains("Mira"))
        for said in [ours.confirmation, ours.trial(channel: "Nights")] {
            #expect(texts(said).allSatisfy { !$0.isEmpty })
            #expect(language == .english || texts(said) != texts(english.confirmation))
        }
        #expect(ours.trial(channel: "Nights").title.contains("Nights"))
        #expect(ours.andMore(1) != ours.andMore(2) && ours.andMore(49).contains("49"))
        let (from, to) = (Moment(seconds: 1_780_000_000), Moment(seconds: 1_780_003_600))
        let was = ours.history(from: from, to: to, times: 3)
        #expect(was.contains(ours.forms.time(from)) && was.contains(ours.forms.time(to)) && was.contains("3"))
        #expect(ours.history(from: from, to: nil, times: 1) != ours.history(from: from, to: nil, times: 2))
    }

    @Test(arguments: AlertLanguage.allCases)
    func `says durations in the parts that matter`(language: AlertLanguage) {
        let ours = language.wording(zone: "UTC")
        let spans = [40, 720, 7080, 5 * 86_400].map { ours.span(seconds: $0) }
        #expect(Set(spans).count == 4)
        for (span, figures) in zip(spans, [["40"], ["12"], ["1", "58"], ["5"]]) {
            for figure in figures { #expect(span.contains(figure), "\(span)") }
        }
    }

    @Test func `in German, French, Spanish and Japanese reads as it should`() {
        let sentence = IncidentSentence.deadlineAtRisk(app: "com.a", count: 14, leftSeconds: 7080)
        let titles = AlertLanguage.allCases.map { IncidentWords(sentence).said(in: $0, zone: "UTC").title }
        #expect(
            titles == [
                "14 refund requests of com.a without an answer, 1 h 58 m left.",
                "14 Erstattungsanfragen von com.a ohne Antwort, noch 1 h 58 min.",
                "14 demandes de remboursement de com.a sans réponse, il reste 1 h 58 min.",
                "14 solicitudes de reembolso de com.a sin respuesta, quedan 1 h 58 min.",
                "com.aの返金リクエスト14件が未回答で、残り1時間58分です。",
            ])
    }

    @Test func `holds what it explains, and for how many it speaks, in every language`() {
        var words = IncidentWords(.keyAbsent(app: "com.a", waiting: WaitingRequests(count: 0, leftSeconds: nil)))
        words.explained = [.deadlineAtRisk(app: "com.a", count: 3, leftSeconds: 7080)]
        words.count = 7
        for language in AlertLanguage.allCases {
            let (said, ours) = (words.said(in: language, zone: "UTC"), language.wording(zone: "UTC"))
            #expect(said.title.hasSuffix(ours.andMore(6)) && said.effect.contains(ours.said(words.explained[0]).effect))
        }
    }

    @Test func `is kept as JSON whose names do not change, and read back whole`() throws {
        for sentence in IncidentSentence.samples {
            let words = IncidentWords(sentence)
            #expect(try JSONDecoder().decode(IncidentWords.self, from: JSONEncoder().encode(words)) == words)
        }
        let kept = """
            {"count":1,"explained":[{"deadlineMissed":{"app":"com.a","count":2}}],"sentence":{"reasonDrift":{"app":"com.a",\
            "count":12,"place":{"version":{"_0":"412"}},"reason":"LEGAL","usual":0.5}}}
            """
        var words = IncidentWords(
            .reasonDrift(app: "com.a", reason: "LEGAL", place: .version("412"), count: 12, usual: 0.5))
        words.explained = [.deadlineMissed(app: "com.a", count: 2)]
        #expect(try JSONDecoder().decode(IncidentWords.self, from: Data(kept.utf8)) == words)
    }
}

@Suite struct `Times and numbers of a language` {
    @Test(arguments: AlertLanguage.allCases)
    func `are written as Foundation's locale writes them`(language: AlertLanguage) throws {
        let (forms, locale) = (
            LocalForms(language: language, zone: "Europe/Berlin"), Locale(identifier: language.rawValue)
        )
        for number in [0, 7, 999, 1000, 9999, 10_000, 123_456, 7_654_321] {
            #expect(forms.number(number) == number.formatted(.number.locale(locale)), "\(number)")
        }
        for number in [0.25, 1.5, 12.0, 1234.5] {
            let theirs = number.formatted(
                .number.precision(.fractionLength(0...1)).rounded(rule: .toNearestOrAwayFromZero).locale(locale))
            #expect(forms.number(number) == theirs, "\(number)")
        }
        guard language != .english else { return }
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for seconds in stride(from: Int64(1_780_000_000), to: 1_820_000_000, by: 3_456_789) {
            var style = Date.FormatStyle(locale: locale, timeZone: berlin)
            style = style.year(.defaultDigits).month(.twoDigits).day(.twoDigits).hour(.twoDigits(amPM: .omitted))
                .minute(.twoDigits)
            let theirs = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(forms.clock(Moment(seconds: seconds)) == theirs)
        }
    }

    @Test func `are in the reader's zone, which is said`() {
        let winter = Moment(milliseconds: 1_764_500_640_000)
        func time(_ moment: Moment, _ zone: String) -> String {
            LocalForms(language: .english, zone: zone).time(moment)
        }
        #expect(time(winter, "UTC") == "2025-11-30 11:04 UTC")
        #expect(time(winter, "Europe/Berlin") == "2025-11-30 12:04 Europe/Berlin")
        #expect(time(winter + .days(180), "Europe/Berlin") == "2026-05-29 13:04 Europe/Berlin")
        #expect(time(winter, "Nowhere/Land") == "2025-11-30 11:04 UTC")
        #expect(LocalForms(language: .german, zone: "Asia/Tokyo").time(winter) == "30.11.2025, 20:04 Asia/Tokyo")
    }

    @Test func `of money have the language's decimals and Apple's`() {
        #expect(LocalForms(language: .french, zone: "UTC").amount(4990, "EUR") == "4,99 EUR")
        #expect(LocalForms(language: .japanese, zone: "UTC").amount(500_000, "JPY") == "500 JPY")
    }
}

@Suite struct `A channel's language` {
    @Test func `is that of its messages, beside channels of other languages`() async throws {
        try await Desk.open(withKey: false) { desk in
            let english = try await desk.addChannel { $0.severity = .warning }
            let german = try await desk.addChannel {
                ($0.name, $0.severity, $0.language, $0.zone) = ("Nachts", .warning, .german, "Europe/Berlin")
            }
            try await desk.look(desk.watch())
            let told = desk.pager.triggers(.keyAbsent)
            let plain = try #require(told.first { $0.channel == english.id }).notice
            #expect(plain.title == "com.example.alpha has no key that could sign." && plain.language == .english)
            let notice = try #require(told.first { $0.channel == german.id }).notice
            #expect(notice.title == "com.example.alpha hat keinen Schlüssel, mit dem signiert werden könnte.")
            #expect(
                notice.effect == "Zurzeit wartet keine Erstattungsanfrage."
                    && notice.facts.map(\.name) == ["Seit", "Regel"])
            #expect(notice.facts[0].value.hasSuffix("Europe/Berlin") && notice.dedupKey == plain.dedupKey)

            // The page stays English.
            let open = try await desk.alerts.open(of: desk.alpha.app.tenant)
            #expect(open.first { $0.rule == .keyAbsent }?.title == plain.title)

            // Changed like everything else, and left alone by who does not name it.
            let tenant = desk.alpha.app.tenant
            var change = ChannelChange(name: "Nights", severity: .warning)
            #expect(
                try await desk.alerts.changeChannel(german.id, change, of: tenant, by: .commandLine).language == .german
            )
            change.language = .japanese
            _ = try await desk.alerts.changeChannel(german.id, change, of: tenant, by: .commandLine)
            #expect(Set(try await desk.alerts.channels(of: tenant).map(\.language)) == [.english, .japanese])
        }
    }

    @Test func `what an older release wrote down is told in English`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.addChannel {
                ($0.severity, $0.language) = (.warning, .spanish)
            }
            let watch = desk.watch()
            try await desk.test.asSuperuser("update refunds.watch set began_at = '-infinity'")
            await watch.round()
            try await desk.test.asSuperuser("update refunds.incidents set words = null")
            while let job = try await desk.claim(.notify) { try await desk.run(job) }
            #expect(
                desk.pager.triggers(.keyAbsent).first?.notice.title == "com.example.alpha has no key that could sign.")
        }
    }

    @Test(arguments: AlertLanguage.allCases)
    func `is on every label of every kind of channel`(language: AlertLanguage) throws {
        let notice = Notice.sample.with { $0.language = language }
        let words = NoticeWords(notice: notice, bases: .sample)
        let mail = try #require(EmailChannel(channel: .sample(.email), bases: .sample).message(for: notice))
        for part in [mail.text, try #require(mail.html)] {
            for label in [NoticeLabel.firstStep, .cases, .openIncident, .runbook] {
                #expect(part.contains(words.label(label)), "\(label)")
            }
        }
        guard language != .english else { return }
        for kind in ChannelKind.allCases where kind != .email {
            let service = try #require(ChannelSender.service(.sample(kind), .sample))
            for request in service.requests(for: notice, at: notice.at) {
                let text = String(decoding: request.body ?? [], as: UTF8.self)
                for english in ["First step", "Open incident", "Runbook", "\"Cases", "Tenant\"", "Since "] {
                    #expect(!text.contains(english), "\(kind) \(english)")
                }
            }
        }
    }
}
