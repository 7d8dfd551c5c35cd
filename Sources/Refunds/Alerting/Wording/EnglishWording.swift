package import Time

/// English: what pages show too.
package struct EnglishWording: Wording {
    package let forms: LocalForms

    /// In UTC, as an incident's page has it.
    package static let ofPages = EnglishWording(forms: LocalForms(language: .english, zone: "UTC"))

    package func said(_ sentence: IncidentSentence) -> SaidOfIncident {
        switch sentence {
        case .credentialsRefused(let key, let apps, let waiting):
            SaidOfIncident(
                "Apple refuses the key \(key) in Production, for \(list(apps)).", effect(waiting),
                "Open the set-up page of \(apps.first ?? "the app"): it says what Apple's refusal can mean. Then add a key that Apple takes."
            )
        case .keyAbsent(let app, let waiting):
            SaidOfIncident(
                "\(app) has no key that could sign.", effect(waiting),
                "Add an In-App Purchase key on the set-up page of the app.")
        case .sealedUnreadable(let subject, let isKey, let step):
            SaidOfIncident(
                "A sealed secret does not open: \(subject).",
                isKey
                    ? "Nothing can be signed with it; requests that need it wait."
                    : "What needs it does not work; replies go on.", step)
        case .clockOff(let seconds):
            SaidOfIncident(
                "Our clock is \(ClockDrift(.seconds(seconds)).words).",
                "Apple refuses calls that are signed by a clock that is off, with the same 401 as a wrong key.",
                "Set the clock of this machine by NTP. The keys need not be changed.")
        case .repliesFailing(let app, let said, let waiting):
            SaidOfIncident(
                "Replies for \(app) fail: \(said.isEmpty ? "Apple does not answer" : "Apple says \(said)").",
                effect(waiting),
                "Nothing has to be sent by hand: each reply is repeated until its deadline. Look at developer.apple.com/system-status and at the newest case."
            )
        case .deadlineAtRisk(let app, let count, let left):
            SaidOfIncident(
                "\(requests(count)) of \(app) without an answer, \(span(seconds: left)) left.",
                "The first deadline is in \(span(seconds: left)). After it Apple decides without us.",
                "Open the first case: it says what its answer waits for.")
        case .deadlineMissed(let app, let count):
            SaidOfIncident(
                "\(requests(count)) of \(app) ended without our answer in the last day.",
                "Apple decides them without us.",
                "Open the case: its page says why no answer went out in time. This closes by itself after a day.")
        case .commerceStopped(let app, let said, let waiting):
            SaidOfIncident(
                "Advanced Commerce calls of \(app) are stopped: \(said.isEmpty ? "Apple refused one" : "Apple said \(said)"), perhaps for want of the addendum.",
                "\(forms.number(waiting)) request\(waiting == 1 ? " waits" : "s wait"); none is lost.",
                "Open the app's Advanced Commerce page, look at what Apple said, and forward the text to the Account Holder."
            )
        case .commerceFailing(let app, let count, let newest):
            SaidOfIncident(
                "\(forms.number(count)) Advanced Commerce request\(s(count)) of \(app) failed in the last day: \(newest)",
                "Customers wait for refunds that somebody asked for.",
                "Open the failed requests: each says what Apple's code means and what to do.")
        case .notificationsRefused(let app, let count, let reason):
            SaidOfIncident(
                "\(forms.number(count)) notifications for \(app) were refused within two hours: \(reason).",
                "Genuine notifications are taken as before.",
                "Look at the quarantine: it names the fault of each. If they are forged, change the notification URL.")
        case .versionOneArrives(let app):
            SaidOfIncident(
                "Version 1 notifications arrive for \(app).",
                "Version 1 has no consumption requests that could be answered: none is until this is switched.",
                "In App Store Connect, App Information, App Store Server Notifications, choose Version 2.")
        case .appleSilent(let app, let since, let gap, let why):
            SaidOfIncident(
                "No notification for \(app) since \(time(milliseconds: since)).",
                "Its longest usual gap is \(span(seconds: gap)). \(why ?? "A TEST notification that was asked for has not arrived either.") Refund requests may be lost to us.",
                "Check in App Store Connect that the notification URL is still ours, then that the public address can be reached from outside."
            )
        case .historyUnread(let app, let said):
            SaidOfIncident(
                "Apple's notification history of \(app) cannot be read to its end: \(said)",
                "What Apple could not deliver here stays unknown until it comes by itself.",
                "Look at what Apple says; it is tried again every few minutes.")
        case .historyFetched(let app, let count):
            SaidOfIncident(
                "\(forms.number(count)) notification\(count == 1 ? "" : "s") of \(app) had not arrived and \(count == 1 ? "was" : "were") fetched from Apple's history.",
                "They are worked on as if they had arrived; requests whose time was over are missed.",
                "If no outage of ours explains it, check that the public address can be reached from outside. This closes by itself an hour after the last one."
            )
        case .relayFailing(let app, let said, let waiting):
            SaidOfIncident(
                "The other receiver of \(app) does not take its notifications: \(said)",
                "\(forms.number(waiting)) notification\(waiting == 1 ? " waits" : "s wait") for it, three days at most. Our own replies go on.",
                "Repair the receiver, or change its URL on the set-up page of the app.")
        case .callbackFailing(let app, let said, let without):
            SaidOfIncident(
                "The server of \(app) does not answer when it is asked about refund requests: \(said)",
                without == 0
                    ? "Replies wait for it for half of their time, and then go out with what is known."
                    : "\(forms.number(without)) request\(without == 1 ? " was" : "s were") decided without what it knows. Replies wait for it for half of their time.",
                "Repair the server, or press Test on the evidence page of the app to see what it answers. This closes with its next answer."
            )
        case .consentMissing(let app, let without, let requests):
            SaidOfIncident(
                "\(forms.number(without)) of the last \(forms.number(requests)) refund requests of \(app) were not answered for want of consent.",
                "Apple decides them without us.",
                "Report consent through the API, or declare it for all purchasers on the set-up page.")
        case .consentRescinded(let app, let count):
            SaidOfIncident(
                "A parent withdrew consent for \(customers(count)) of \(app), as Apple told.",
                "Nothing is sent to Apple about what they bought until somebody decides.",
                "Open the page Consent of the app and decide: answer again, or leave it stopped.")
        case .reasonDrift(let app, let reason, let place, let count, let usual):
            SaidOfIncident(
                "Refund requests \(Self.place(place, of: app)) give \(reason): \(customers(count)) in a day.",
                "Usually it is \(forms.number(usual)) a day: something may be broken in the app.",
                "Open the newest of these cases, and look at what changed in the app or its server.")
        case .developerIssues(let app, let place, let count, let usual):
            SaidOfIncident(
                "Apple books refunds \(Self.place(place, of: app)) as the developer's issue: \(customers(count)) in a day.",
                "Usually it is \(forms.number(usual)) a day: something may be broken in the app.",
                "Open the newest of these cases, and look at what changed in the app or its server.")
        case .channelFailing(let name, let kind, let isOff, let said):
            SaidOfIncident(
                "The channel \(name) (\(kind)) \(isOff ? "is switched off" : "does not take our messages").",
                "Nobody is told over it. \(said)", "Open the channel, put in a new address or key, and press Test.")
        case .channelsFailing(let count, let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(forms.number(count)) channels do not take our messages.",
                "Nobody is told over them. The first: the channel \(name) (\(kind)) \(isOff ? "is switched off" : "does not take our messages"). \(said)",
                "Open the page of channels: what each of them says stands there. Where all say the same, this machine's way out is broken, not their keys."
            )
        case .noChannel:
            SaidOfIncident(
                "There is no channel.", "Whatever goes wrong, nobody is told.", "Add a channel on the page Alerts.")
        case .noChannelWorks:
            SaidOfIncident(
                "No channel works.", "Whatever goes wrong, nobody is told.", "Add a channel on the page Alerts.")
        case .queueOld(let waited, let ready):
            SaidOfIncident(
                "Work has waited for \(span(seconds: waited)) that should begin within seconds.",
                "\(forms.number(ready)) job\(s(ready)) ready; replies are late.",
                "Look whether the engine runs (refund-desk serve --only engine), and at the load of the database.")
        case .workerStuck(let count):
            SaidOfIncident(
                "\(forms.number(count)) job\(s(count)) were claimed and neither finished nor given back in time.",
                "They are taken over by themselves; that it happens means that a process hangs or was cut off.",
                "Look at the log of each engine process for its last lines, and restart the one that is silent.")
        case .databaseSlow(let milliseconds):
            SaidOfIncident(
                "The database takes \(forms.number(milliseconds)) ms for the smallest question.",
                "Apple's deliveries wait, and are turned away when it gets worse.",
                "Look at the database's load, its disks and long transactions (refund-desk doctor).")
        case .databaseFull(let detail):
            SaidOfIncident(
                "The database takes no more data.",
                "Apple's deliveries are turned away and come again later; no reply goes out. \(detail)",
                "Make room on the database's disk.")
        case .databaseFilling(let used, let size):
            SaidOfIncident(
                "The database's volume fills up: \(forms.mebibytes(used)) of \(forms.mebibytes(size)) are used.",
                "When it is full nothing can be stored, and Apple's deliveries are turned away.",
                "Make room on it or make it larger; then set REFUND_DESK_DATABASE_BYTES to its new size.")
        case .databaseUnreachable(let detail):
            SaidOfIncident(
                "The database does not answer.",
                "Apple's deliveries are turned away and come again later; no reply goes out. \(detail)",
                "Look whether PostgreSQL runs and can be reached from here.")
        case .masterKeyMissing(let host):
            SaidOfIncident(
                "There is no master key on \(host).",
                "No key can be opened: no reply goes out from there, and nothing new can be sealed.",
                "Name the key's file in REFUND_DESK_MASTER_KEY_FILE and start again; a backup of it is the only other copy."
            )
        case .revocationUnreachable(let host, let since):
            SaidOfIncident(
                "Apple's revocation responder has not answered \(host) since \(time(milliseconds: since)).",
                "Notifications are taken without knowing whether their certificates were revoked.",
                "Allow this machine to call ocsp.apple.com, or set REFUND_DESK_REVOCATION_CHECK=off and know why.")
        case .diskFull(let host, let path, let free, let size):
            SaidOfIncident(
                "The disk under \(path) of \(host) has \(forms.mebibytes(free)) left of \(forms.mebibytes(size)).",
                "When it is full nothing can be stored, and Apple's deliveries are turned away.",
                "Make room, or make the disk larger.")
        case .certificateRefused(let fault):
            SaidOfIncident(
                "The public address cannot be reached over TLS: \(fault).",
                "Apple delivers nothing to an address whose certificate it does not trust.",
                "Renew the certificate at the proxy.")
        case .certificateEnding(let ends):
            SaidOfIncident(
                "The certificate of the public address ends at \(time(milliseconds: ends)).",
                "After that Apple delivers nothing.",
                "Renew the certificate at the proxy, and find out why that did not happen by itself.")
        }
    }

    package func andMore(_ count: Int) -> String { " And \(forms.number(count)) more like it." }

    package var confirmation: SaidOfIncident {
        SaidOfIncident(
            "May alerts come to this address?",
            "Somebody entered this address to be told when replies to refund requests fail. Nothing more is sent here until you say so.",
            "Open the link within a week and press the button. If you know nothing of it, do nothing.")
    }

    package func trial(channel: String) -> SaidOfIncident {
        SaidOfIncident(
            "A test of the channel \(channel).", "Nothing is wrong: somebody pressed Test.",
            "Nothing has to be done.")
    }

    package func headline(_ event: Notice.Event, _ title: String) -> String {
        switch event {
        case .trigger, .confirm: title
        case .reminder: "Still open: \(title)"
        case .acknowledged(let person): "Acknowledged by \(person): \(title)"
        case .resolved: "Resolved: \(title)"
        case .test: "Test: \(title)"
        }
    }

    package func standing(_ event: Notice.Event, _ severity: Severity) -> String {
        switch event {
        case .trigger, .reminder: word(severity).uppercased()
        case .acknowledged: "ACKNOWLEDGED"
        case .resolved: "RESOLVED"
        case .test: "TEST"
        case .confirm: "CONFIRM"
        }
    }

    package func word(_ severity: Severity) -> String { severity.rawValue }

    package var over: String { "resolved" }

    package func history(from: Moment, to: Moment?, times: Int) -> String {
        let seen = times > 1 ? ", seen \(forms.number(times)) times" : ""
        return to.map { "From \(forms.time(from)) to \(forms.time($0))\(seen)" } ?? "Since \(forms.time(from))\(seen)"
    }

    package func label(_ label: NoticeLabel) -> String {
        switch label {
        case .since: "Since"
        case .rule: "Rule"
        case .requests: "Refund requests"
        case .atRisk: "At risk"
        case .firstStep: "First step"
        case .cases: "Cases"
        case .oneCase: "Case"
        case .openIncident: "Open incident"
        case .runbook: "Runbook"
        case .confirm: "Confirm the address"
        case .tenant: "Tenant"
        case .state: "State"
        }
    }

    package func span(_ duration: Duration) -> String {
        switch parts(duration) {
        case .seconds(let n): "\(n) s"
        case .minutes(let n): "\(n) m"
        case .hours(let n, let minutes): "\(n) h \(minutes) m"
        case .days(let n): "\(forms.number(n)) days"
        }
    }

    // MARK: parts of sentences

    func effect(_ waiting: WaitingRequests) -> String {
        guard let left = waiting.leftSeconds else { return "No refund request waits at the moment." }
        return
            "\(requests(waiting.count)) without an answer; the first \(left > 0 ? "ends in \(span(seconds: left))" : "has ended")."
    }

    private func requests(_ count: Int) -> String { "\(forms.number(count)) refund request\(s(count))" }

    private func s(_ count: Int) -> String { count == 1 ? "" : "s" }

    private func customers(_ count: Int) -> String { "\(forms.number(count)) customer\(s(count))" }

    private func list(_ names: [String]) -> String {
        names.count <= 3
            ? names.joined(separator: ", ") : "\(names[0]), \(names[1]) and \(forms.number(names.count - 2)) more apps"
    }

    private static func place(_ place: DriftPlace, of app: String) -> String {
        switch place {
        case .product(let id): "for \(id) of \(app)"
        case .version(let build): "from version \(build) of \(app)"
        case .storefront(let code): "for \(app) in the storefront \(code)"
        case .wholeApp: "for \(app)"
        }
    }
}
