import Time

struct GermanWording: Wording {
    let forms: LocalForms

    func said(_ sentence: IncidentSentence) -> SaidOfIncident {
        switch sentence {
        case .credentialsRefused(let key, let apps, let waiting):
            SaidOfIncident(
                "Apple lehnt den Schlüssel \(key) in Production ab, für \(list(apps)).", effect(waiting),
                "Die Einrichtungsseite von \(apps.first ?? "der App") öffnen: Dort steht, was Apples Ablehnung bedeuten kann. Dann einen Schlüssel hinzufügen, den Apple annimmt."
            )
        case .keyAbsent(let app, let waiting):
            SaidOfIncident(
                "\(app) hat keinen Schlüssel, mit dem signiert werden könnte.", effect(waiting),
                "Auf der Einrichtungsseite der App einen Schlüssel für In-App-Käufe hinzufügen.")
        case .sealedUnreadable(let subject, let isKey, let step):
            SaidOfIncident(
                "Ein versiegeltes Geheimnis lässt sich nicht öffnen: \(subject).",
                isKey
                    ? "Damit kann nichts signiert werden; Anfragen, die es brauchen, warten."
                    : "Was es braucht, funktioniert nicht; Antworten gehen weiter hinaus.", step)
        case .clockOff(let seconds):
            SaidOfIncident(
                "Unsere Uhr geht gegenüber Apples Uhr \(span(seconds: abs(seconds))) \(seconds > 0 ? "vor" : "nach").",
                "Apple lehnt Aufrufe ab, die mit falscher Uhr signiert sind, mit demselben 401 wie bei einem falschen Schlüssel.",
                "Die Uhr dieses Rechners mit NTP stellen. Die Schlüssel müssen nicht geändert werden.")
        case .repliesFailing(let app, let said, let waiting):
            SaidOfIncident(
                "Antworten für \(app) schlagen fehl: \(said.isEmpty ? "Apple antwortet nicht" : "Apple sagt \(said)").",
                effect(waiting),
                "Nichts muss von Hand gesendet werden: Jede Antwort wird bis zu ihrer Frist wiederholt. developer.apple.com/system-status und den neuesten Fall ansehen."
            )
        case .deadlineAtRisk(let app, let count, let left):
            SaidOfIncident(
                "\(requests(count)) von \(app) ohne Antwort, noch \(span(seconds: left)).",
                "Die erste Frist endet in \(span(seconds: left)). Danach entscheidet Apple ohne uns.",
                "Den ersten Fall öffnen: Dort steht, worauf seine Antwort wartet.")
        case .deadlineMissed(let app, let count):
            SaidOfIncident(
                "\(requests(count)) von \(app) \(count == 1 ? "endete" : "endeten") am letzten Tag ohne unsere Antwort.",
                "Apple entscheidet darüber ohne uns.",
                "Den Fall öffnen: Dort steht, warum keine Antwort rechtzeitig hinausging. Nach einem Tag schließt sich dies von selbst."
            )
        case .commerceStopped(let app, let said, let waiting):
            SaidOfIncident(
                "Advanced-Commerce-Aufrufe von \(app) sind angehalten: \(said.isEmpty ? "Apple hat einen abgelehnt" : "Apple sagte \(said)"), vielleicht weil der Vertragszusatz fehlt.",
                "\(forms.number(waiting)) \(waiting == 1 ? "Auftrag wartet" : "Aufträge warten"); keiner geht verloren.",
                "Die Advanced-Commerce-Seite der App öffnen, ansehen, was Apple sagte, und den Text an den Account Holder weiterleiten."
            )
        case .commerceFailing(let app, let count, let newest):
            SaidOfIncident(
                "\(forms.number(count)) Advanced-Commerce-\(count == 1 ? "Auftrag" : "Aufträge") von \(app) \(count == 1 ? "schlug" : "schlugen") am letzten Tag fehl: \(newest)",
                "Kunden warten auf Erstattungen, die jemand veranlasst hat.",
                "Die fehlgeschlagenen Aufträge öffnen: Bei jedem steht, was Apples Code bedeutet und was zu tun ist.")
        case .notificationsRefused(let app, let count, let reason):
            SaidOfIncident(
                "\(forms.number(count)) Mitteilungen für \(app) wurden binnen zwei Stunden abgewiesen: \(reason).",
                "Echte Mitteilungen werden weiter angenommen.",
                "In die Quarantäne sehen: Dort steht, was an jeder falsch ist. Sind sie gefälscht, die Mitteilungs-URL ändern."
            )
        case .versionOneArrives(let app):
            SaidOfIncident(
                "Für \(app) kommen Mitteilungen der Version 1 an.",
                "Version 1 hat keine Anfragen, die beantwortet werden könnten: Bis zur Umstellung wird keine beantwortet.",
                "In App Store Connect unter App Information, App Store Server Notifications, Version 2 wählen.")
        case .appleSilent(let app, let since, let gap, let why):
            SaidOfIncident(
                "Keine Mitteilung für \(app) seit \(time(milliseconds: since)).",
                "Die längste übliche Pause ist \(span(seconds: gap)). \(why ?? "Auch eine angeforderte TEST-Mitteilung ist nicht angekommen.") Erstattungsanfragen können uns entgehen.",
                "In App Store Connect prüfen, ob die Mitteilungs-URL noch unsere ist, dann, ob die öffentliche Adresse von außen erreichbar ist."
            )
        case .historyUnread(let app, let said):
            SaidOfIncident(
                "Apples Mitteilungsverlauf von \(app) lässt sich nicht bis zum Ende lesen: \(said)",
                "Was Apple hier nicht zustellen konnte, bleibt unbekannt, bis es von selbst kommt.",
                "Nachsehen, was Apple antwortet; es wird alle paar Minuten wieder versucht.")
        case .historyFetched(let app, let count):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "Mitteilung für \(app) war nicht angekommen und wurde" : "Mitteilungen für \(app) waren nicht angekommen und wurden") aus Apples Verlauf geholt.",
                "Sie werden bearbeitet, als wären sie angekommen; Anfragen, deren Frist vorbei war, sind versäumt.",
                "Erklärt es kein eigener Ausfall, prüfen, ob die öffentliche Adresse von außen erreichbar ist. Das endet von selbst eine Stunde nach der letzten."
            )
        case .relayFailing(let app, let said, let waiting):
            SaidOfIncident(
                "Der andere Empfänger von \(app) nimmt seine Mitteilungen nicht an: \(said)",
                "\(forms.number(waiting)) \(waiting == 1 ? "Mitteilung wartet" : "Mitteilungen warten") auf ihn, höchstens drei Tage. Unsere eigenen Antworten gehen weiter hinaus.",
                "Den Empfänger reparieren oder seine URL auf der Einrichtungsseite der App ändern.")
        case .callbackFailing(let app, let said, let without):
            SaidOfIncident(
                "Der Server von \(app) antwortet nicht auf Fragen zu Erstattungsanfragen: \(said)",
                without == 0
                    ? "Antworten warten die Hälfte ihrer Zeit auf ihn und gehen dann mit dem hinaus, was bekannt ist."
                    : "\(forms.number(without)) \(without == 1 ? "Anfrage wurde" : "Anfragen wurden") ohne sein Wissen entschieden. Antworten warten die Hälfte ihrer Zeit auf ihn.",
                "Den Server reparieren, oder auf der Seite Evidence der App Test drücken und sehen, was er antwortet. Das endet mit seiner nächsten Antwort."
            )
        case .consentMissing(let app, let without, let all):
            SaidOfIncident(
                "\(forms.number(without)) der letzten \(forms.number(all)) Erstattungsanfragen von \(app) blieben mangels Einwilligung unbeantwortet.",
                "Apple entscheidet darüber ohne uns.",
                "Einwilligungen über die API melden oder auf der Einrichtungsseite für alle Käufer erklären.")
        case .consentRescinded(let app, let count):
            SaidOfIncident(
                "Wie Apple mitteilt, wurde für \(customers(count)) von \(app) die Einwilligung durch Eltern widerrufen.",
                "Über deren Käufe wird nichts an Apple gesendet, bis jemand entscheidet.",
                "Die Seite Consent der App öffnen und entscheiden: wieder antworten oder angehalten lassen.")
        case .reasonDrift(let app, let reason, let place, let count, let usual):
            SaidOfIncident(
                "Erstattungsanfragen \(Self.place(place, of: app)) nennen \(reason): \(customers(count)) an einem Tag.",
                "Üblich \(usual == 1 ? "ist" : "sind") \(forms.number(usual)) am Tag: In der App ist vielleicht etwas kaputt.",
                "Die neuesten dieser Fälle öffnen und nachsehen, was sich in der App oder ihrem Server geändert hat.")
        case .developerIssues(let app, let place, let count, let usual):
            SaidOfIncident(
                "Apple verbucht Erstattungen \(Self.place(place, of: app)) als Problem der App: \(customers(count)) an einem Tag.",
                "Üblich \(usual == 1 ? "ist" : "sind") \(forms.number(usual)) am Tag: In der App ist vielleicht etwas kaputt.",
                "Die neuesten dieser Fälle öffnen und nachsehen, was sich in der App oder ihrem Server geändert hat.")
        case .channelFailing(let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(channel(name, kind, isOff)).", "Über ihn wird niemand benachrichtigt. \(said)",
                "Den Kanal öffnen, eine neue Adresse oder einen neuen Schlüssel eintragen und Test drücken.")
        case .channelsFailing(let count, let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(forms.number(count)) Kanäle nehmen unsere Nachrichten nicht an.",
                "Über sie wird niemand benachrichtigt. Der erste: \(channel(name, kind, isOff)). \(said)",
                "Die Seite der Kanäle öffnen: Dort steht, was jeder von ihnen sagt. Sagen alle dasselbe, ist der Weg dieses Rechners nach außen gestört, nicht ihre Schlüssel."
            )
        case .noChannel:
            SaidOfIncident(
                "Es gibt keinen Kanal.", "Was auch schiefgeht, niemand erfährt davon.",
                "Auf der Seite Alerts einen Kanal hinzufügen.")
        case .noChannelWorks:
            SaidOfIncident(
                "Kein Kanal funktioniert.", "Was auch schiefgeht, niemand erfährt davon.",
                "Auf der Seite Alerts einen Kanal hinzufügen.")
        case .queueOld(let waited, let ready):
            SaidOfIncident(
                "Seit \(span(seconds: waited)) wartet Arbeit, die binnen Sekunden beginnen sollte.",
                "\(forms.number(ready)) \(ready == 1 ? "Auftrag ist" : "Aufträge sind") bereit; Antworten kommen spät.",
                "Nachsehen, ob die Engine läuft (refund-desk serve --only engine) und wie belastet die Datenbank ist.")
        case .workerStuck(let count):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "Auftrag wurde" : "Aufträge wurden") übernommen und weder beendet noch rechtzeitig zurückgegeben.",
                "Das wird von selbst neu übernommen; dass es vorkommt, heißt, dass ein Prozess hängt oder abgeschnitten wurde.",
                "Die letzten Zeilen im Protokoll jedes Engine-Prozesses ansehen und den stummen neu starten.")
        case .databaseSlow(let milliseconds):
            SaidOfIncident(
                "Die Datenbank braucht \(forms.number(milliseconds)) ms für die kleinste Frage.",
                "Apples Zustellungen warten und werden abgewiesen, wenn es schlimmer wird.",
                "Last, Platten und lange Transaktionen der Datenbank ansehen (refund-desk doctor).")
        case .databaseFull(let detail):
            SaidOfIncident(
                "Die Datenbank nimmt keine Daten mehr an.",
                "Apples Zustellungen werden abgewiesen und kommen später wieder; keine Antwort geht hinaus. \(detail)",
                "Auf der Platte der Datenbank Platz schaffen.")
        case .databaseFilling(let used, let size):
            SaidOfIncident(
                "Der Datenträger der Datenbank füllt sich: \(forms.mebibytes(used)) von \(forms.mebibytes(size)) sind belegt.",
                "Ist er voll, kann nichts mehr gespeichert werden, und Apples Zustellungen werden abgewiesen.",
                "Platz schaffen oder ihn vergrößern; dann REFUND_DESK_DATABASE_BYTES auf seine neue Größe setzen.")
        case .databaseUnreachable(let detail):
            SaidOfIncident(
                "Die Datenbank antwortet nicht.",
                "Apples Zustellungen werden abgewiesen und kommen später wieder; keine Antwort geht hinaus. \(detail)",
                "Nachsehen, ob PostgreSQL läuft und von hier erreichbar ist.")
        case .masterKeyMissing(let host):
            SaidOfIncident(
                "Auf \(host) gibt es keinen Hauptschlüssel.",
                "Kein Schlüssel lässt sich öffnen: Von dort geht keine Antwort hinaus, und nichts Neues kann versiegelt werden.",
                "Die Schlüsseldatei in REFUND_DESK_MASTER_KEY_FILE nennen und neu starten; nur ihre Sicherung enthält ihn sonst noch."
            )
        case .revocationUnreachable(let host, let since):
            SaidOfIncident(
                "Apples Sperrauskunft hat \(host) seit \(time(milliseconds: since)) nicht geantwortet.",
                "Mitteilungen werden angenommen, ohne zu wissen, ob ihre Zertifikate gesperrt wurden.",
                "Diesem Rechner Aufrufe an ocsp.apple.com erlauben oder bewusst REFUND_DESK_REVOCATION_CHECK=off setzen."
            )
        case .diskFull(let host, let path, let free, let size):
            SaidOfIncident(
                "Die Platte unter \(path) von \(host) hat noch \(forms.mebibytes(free)) von \(forms.mebibytes(size)) frei.",
                "Ist sie voll, kann nichts mehr gespeichert werden, und Apples Zustellungen werden abgewiesen.",
                "Platz schaffen oder die Platte vergrößern.")
        case .certificateRefused(let fault):
            SaidOfIncident(
                "Die öffentliche Adresse ist über TLS nicht erreichbar: \(fault).",
                "Apple stellt nichts an eine Adresse zu, deren Zertifikat es nicht vertraut.",
                "Das Zertifikat am Proxy erneuern.")
        case .certificateEnding(let ends):
            SaidOfIncident(
                "Das Zertifikat der öffentlichen Adresse endet am \(time(milliseconds: ends)).",
                "Danach stellt Apple nichts mehr zu.",
                "Das Zertifikat am Proxy erneuern und herausfinden, warum das nicht von selbst geschah.")
        }
    }

    func andMore(_ count: Int) -> String {
        count == 1 ? " Und ein weiteres dieser Art." : " Und \(forms.number(count)) weitere dieser Art."
    }

    var confirmation: SaidOfIncident {
        SaidOfIncident(
            "Dürfen Warnungen an diese Adresse gehen?",
            "Jemand hat diese Adresse eingetragen, um zu erfahren, wenn Antworten auf Erstattungsanfragen fehlschlagen. Bis zu Ihrer Zustimmung wird nichts weiter hierher gesendet.",
            "Den Link binnen einer Woche öffnen und die Schaltfläche drücken. Wenn Sie nichts davon wissen, tun Sie nichts."
        )
    }

    func trial(channel: String) -> SaidOfIncident {
        SaidOfIncident(
            "Eine Probe des Kanals \(channel).", "Es ist alles in Ordnung: Jemand hat Test gedrückt.",
            "Nichts ist zu tun.")
    }

    func headline(_ event: Notice.Event, _ title: String) -> String {
        switch event {
        case .trigger, .confirm: title
        case .reminder: "Noch offen: \(title)"
        case .acknowledged(let person): "Übernommen von \(person): \(title)"
        case .resolved: "Erledigt: \(title)"
        case .test: "Probe: \(title)"
        }
    }

    func standing(_ event: Notice.Event, _ severity: Severity) -> String {
        switch event {
        case .trigger, .reminder: word(severity).uppercased()
        case .acknowledged: "ÜBERNOMMEN"
        case .resolved: "ERLEDIGT"
        case .test: "PROBE"
        case .confirm: "BESTÄTIGEN"
        }
    }

    func word(_ severity: Severity) -> String {
        switch severity {
        case .info: "Hinweis"
        case .warning: "Warnung"
        case .error: "Fehler"
        case .critical: "kritisch"
        }
    }

    var over: String { "erledigt" }

    func history(from: Moment, to: Moment?, times: Int) -> String {
        let seen = times > 1 ? ", \(forms.number(times))-mal gesehen" : ""
        return to.map { "Von \(forms.time(from)) bis \(forms.time($0))\(seen)" } ?? "Seit \(forms.time(from))\(seen)"
    }

    func label(_ label: NoticeLabel) -> String {
        switch label {
        case .since: "Seit"
        case .rule: "Regel"
        case .requests: "Erstattungsanfragen"
        case .atRisk: "Gefährdet"
        case .firstStep: "Erster Schritt"
        case .cases: "Fälle"
        case .oneCase: "Fall"
        case .openIncident: "Vorfall öffnen"
        case .runbook: "Anleitung"
        case .confirm: "Adresse bestätigen"
        case .tenant: "Mandant"
        case .state: "Stand"
        }
    }

    func span(_ duration: Duration) -> String {
        switch parts(duration) {
        case .seconds(let n): "\(n) s"
        case .minutes(let n): "\(n) min"
        case .hours(let n, let minutes): "\(n) h \(minutes) min"
        case .days(let n): "\(forms.number(n)) Tage"
        }
    }

    private func effect(_ waiting: WaitingRequests) -> String {
        guard let left = waiting.leftSeconds else { return "Zurzeit wartet keine Erstattungsanfrage." }
        let one = waiting.count == 1
        let end =
            left > 0
            ? "\(one ? "sie" : "die erste") endet in \(span(seconds: left))"
            : "\(one ? "sie" : "die erste") ist abgelaufen"
        return "\(requests(waiting.count)) ohne Antwort; \(end)."
    }

    private func requests(_ count: Int) -> String {
        "\(forms.number(count)) \(count == 1 ? "Erstattungsanfrage" : "Erstattungsanfragen")"
    }

    private func customers(_ count: Int) -> String { "\(forms.number(count)) \(count == 1 ? "Kunde" : "Kunden")" }

    private func list(_ names: [String]) -> String {
        names.count <= 3
            ? names.joined(separator: ", ")
            : "\(names[0]), \(names[1]) und \(forms.number(names.count - 2)) weitere Apps"
    }

    private func channel(_ name: String, _ kind: String, _ isOff: Bool) -> String {
        "Der Kanal \(name) (\(kind)) \(isOff ? "ist abgeschaltet" : "nimmt unsere Nachrichten nicht an")"
    }

    private static func place(_ place: DriftPlace, of app: String) -> String {
        switch place {
        case .product(let id): "für \(id) von \(app)"
        case .version(let build): "aus Version \(build) von \(app)"
        case .storefront(let code): "für \(app) im Storefront \(code)"
        case .wholeApp: "für \(app)"
        }
    }
}
