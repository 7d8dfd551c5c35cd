import Time

struct FrenchWording: Wording {
    let forms: LocalForms

    func said(_ sentence: IncidentSentence) -> SaidOfIncident {
        switch sentence {
        case .credentialsRefused(let key, let apps, let waiting):
            SaidOfIncident(
                "Apple refuse la clé \(key) en Production, pour \(list(apps)).", effect(waiting),
                "Ouvrez la page de configuration de \(apps.first ?? "l’app") : elle dit ce que le refus d’Apple peut signifier. Ajoutez ensuite une clé qu’Apple accepte."
            )
        case .keyAbsent(let app, let waiting):
            SaidOfIncident(
                "\(app) n’a aucune clé pour signer.", effect(waiting),
                "Ajoutez une clé d’achats intégrés sur la page de configuration de l’app.")
        case .sealedUnreadable(let subject, let isKey, let step):
            SaidOfIncident(
                "Un secret scellé ne s’ouvre pas : \(subject).",
                isKey
                    ? "Rien ne peut être signé avec lui ; les demandes qui en ont besoin attendent."
                    : "Ce qui en a besoin ne fonctionne pas ; les réponses continuent.", step)
        case .clockOff(let seconds):
            SaidOfIncident(
                "Notre horloge \(seconds > 0 ? "avance" : "retarde") de \(span(seconds: abs(seconds))) sur celle d’Apple.",
                "Apple refuse les appels signés avec une horloge fausse, par le même 401 qu’une mauvaise clé.",
                "Réglez l’horloge de cette machine par NTP. Les clés n’ont pas à être changées.")
        case .repliesFailing(let app, let said, let waiting):
            SaidOfIncident(
                "Les réponses pour \(app) échouent : \(said.isEmpty ? "Apple ne répond pas" : "Apple dit \(said)").",
                effect(waiting),
                "Rien n’est à envoyer à la main : chaque réponse est répétée jusqu’à son échéance. Consultez developer.apple.com/system-status et le dossier le plus récent."
            )
        case .deadlineAtRisk(let app, let count, let left):
            SaidOfIncident(
                "\(requests(count)) de \(app) sans réponse, il reste \(span(seconds: left)).",
                "La première échéance est dans \(span(seconds: left)). Ensuite, Apple décide sans nous.",
                "Ouvrez le premier dossier : il dit ce que sa réponse attend.")
        case .deadlineMissed(let app, let count):
            SaidOfIncident(
                "\(requests(count)) de \(app) \(isOne(count) ? "s’est terminée" : "se sont terminées") sans notre réponse depuis un jour.",
                "Apple décide sans nous.",
                "Ouvrez le dossier : sa page dit pourquoi aucune réponse n’est partie à temps. Ceci se ferme tout seul au bout d’un jour."
            )
        case .commerceStopped(let app, let said, let waiting):
            SaidOfIncident(
                "Les appels Advanced Commerce de \(app) sont arrêtés : \(said.isEmpty ? "Apple en a refusé un" : "Apple a dit \(said)"), peut-être faute d’avenant.",
                "\(forms.number(waiting)) \(isOne(waiting) ? "demande attend" : "demandes attendent") ; aucune n’est perdue.",
                "Ouvrez la page Advanced Commerce de l’app, lisez ce qu’Apple a dit et transmettez le texte à l’Account Holder."
            )
        case .commerceFailing(let app, let count, let newest):
            SaidOfIncident(
                "\(forms.number(count)) \(isOne(count) ? "demande" : "demandes") Advanced Commerce de \(app) \(isOne(count) ? "a échoué" : "ont échoué") depuis un jour : \(newest)",
                "Des clients attendent des remboursements que quelqu’un a demandés.",
                "Ouvrez les demandes en échec : chacune dit ce que signifie le code d’Apple et ce qu’il faut faire.")
        case .notificationsRefused(let app, let count, let reason):
            SaidOfIncident(
                "\(forms.number(count)) \(isOne(count) ? "notification pour \(app) a été refusée" : "notifications pour \(app) ont été refusées") en deux heures : \(reason).",
                "Les vraies notifications sont acceptées comme avant.",
                "Consultez la quarantaine : elle nomme le défaut de chacune. Si elles sont falsifiées, changez l’URL de notification."
            )
        case .versionOneArrives(let app):
            SaidOfIncident(
                "Des notifications de version 1 arrivent pour \(app).",
                "La version 1 n’a pas de demandes auxquelles répondre : aucune ne reçoit de réponse avant le changement.",
                "Dans App Store Connect, App Information, App Store Server Notifications, choisissez la version 2.")
        case .appleSilent(let app, let since, let gap, let why):
            SaidOfIncident(
                "Aucune notification pour \(app) depuis le \(time(milliseconds: since)).",
                "Sa plus longue pause habituelle est de \(span(seconds: gap)). \(why ?? "Une notification TEST demandée n’est pas arrivée non plus.") Des demandes de remboursement peuvent nous échapper.",
                "Vérifiez dans App Store Connect que l’URL de notification est toujours la nôtre, puis que l’adresse publique est joignable de l’extérieur."
            )
        case .historyUnread(let app, let said):
            SaidOfIncident(
                "L’historique des notifications d’Apple pour \(app) ne peut pas être lu jusqu’au bout : \(said)",
                "Ce qu’Apple n’a pas pu livrer ici reste inconnu jusqu’à ce que cela arrive de soi-même.",
                "Regardez ce que répond Apple ; une nouvelle tentative a lieu toutes les quelques minutes.")
        case .historyFetched(let app, let count):
            SaidOfIncident(
                "\(forms.number(count)) \(isOne(count) ? "notification pour \(app) n’était pas arrivée et a été reprise" : "notifications pour \(app) n’étaient pas arrivées et ont été reprises") de l’historique d’Apple.",
                "Elles sont traitées comme si elles étaient arrivées ; les demandes dont le délai était passé sont manquées.",
                "Si aucune panne de notre côté ne l’explique, vérifiez que l’adresse publique est joignable de l’extérieur. Cela se ferme de soi-même une heure après la dernière."
            )
        case .relayFailing(let app, let said, let waiting):
            SaidOfIncident(
                "L’autre destinataire de \(app) ne prend pas ses notifications : \(said)",
                "\(forms.number(waiting)) \(isOne(waiting) ? "notification l’attend" : "notifications l’attendent"), trois jours au plus. Nos propres réponses continuent.",
                "Réparez le destinataire, ou changez son URL sur la page de configuration de l’app.")
        case .callbackFailing(let app, let said, let without):
            SaidOfIncident(
                "Le serveur de \(app) ne répond pas aux questions sur les demandes de remboursement : \(said)",
                without == 0
                    ? "Les réponses l’attendent la moitié de leur temps, puis partent avec ce qui est connu."
                    : "\(forms.number(without)) \(isOne(without) ? "demande a été décidée" : "demandes ont été décidées") sans ce qu’il sait. Les réponses l’attendent la moitié de leur temps.",
                "Réparez le serveur, ou appuyez sur Test sur la page Evidence de l’app pour voir ce qu’il répond. Cela se ferme avec sa prochaine réponse."
            )
        case .consentMissing(let app, let without, let all):
            SaidOfIncident(
                "\(forms.number(without)) des \(forms.number(all)) dernières demandes de remboursement de \(app) sont restées sans réponse faute de consentement.",
                "Apple décide sans nous.",
                "Signalez le consentement par l’API, ou déclarez-le pour tous les acheteurs sur la page de configuration."
            )
        case .consentRescinded(let app, let count):
            SaidOfIncident(
                "Un parent a retiré son consentement pour \(customers(count)) de \(app), selon Apple.",
                "Rien n’est envoyé à Apple sur leurs achats jusqu’à ce que quelqu’un décide.",
                "Ouvrez la page Consent de l’app et décidez : répondre de nouveau, ou en rester là.")
        case .reasonDrift(let app, let reason, let place, let count, let usual):
            SaidOfIncident(
                "Des demandes de remboursement \(Self.place(place, of: app)) donnent \(reason) : \(customers(count)) en un jour.",
                "D’habitude, c’est \(forms.number(usual)) par jour : quelque chose est peut-être cassé dans l’app.",
                "Ouvrez les plus récents de ces dossiers et regardez ce qui a changé dans l’app ou son serveur.")
        case .developerIssues(let app, let place, let count, let usual):
            SaidOfIncident(
                "Apple impute à l’app des remboursements \(Self.place(place, of: app)) : \(customers(count)) en un jour.",
                "D’habitude, c’est \(forms.number(usual)) par jour : quelque chose est peut-être cassé dans l’app.",
                "Ouvrez les plus récents de ces dossiers et regardez ce qui a changé dans l’app ou son serveur.")
        case .channelFailing(let name, let kind, let isOff, let said):
            SaidOfIncident(
                "Le \(channel(name, kind, isOff)).", "Personne n’est prévenu par lui. \(said)",
                "Ouvrez le canal, saisissez une nouvelle adresse ou clé et appuyez sur Test.")
        case .channelsFailing(let count, let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(forms.number(count)) canaux ne prennent pas nos messages.",
                "Personne n’est prévenu par eux. Le premier : le \(channel(name, kind, isOff)). \(said)",
                "Ouvrez la page des canaux : ce que chacun dit y figure. S’ils disent tous la même chose, c’est la sortie de cette machine qui est en panne, pas leurs clés."
            )
        case .noChannel:
            SaidOfIncident(
                "Il n’y a aucun canal.", "Quoi qu’il arrive, personne n’est prévenu.",
                "Ajoutez un canal sur la page Alerts.")
        case .noChannelWorks:
            SaidOfIncident(
                "Aucun canal ne fonctionne.", "Quoi qu’il arrive, personne n’est prévenu.",
                "Ajoutez un canal sur la page Alerts.")
        case .queueOld(let waited, let ready):
            SaidOfIncident(
                "Du travail qui devrait commencer en quelques secondes attend depuis \(span(seconds: waited)).",
                "\(forms.number(ready)) \(isOne(ready) ? "tâche prête" : "tâches prêtes") ; les réponses sont en retard.",
                "Vérifiez que le moteur tourne (refund-desk serve --only engine), et la charge de la base de données.")
        case .workerStuck(let count):
            SaidOfIncident(
                "\(forms.number(count)) \(isOne(count) ? "tâche prise n’a été ni finie ni rendue" : "tâches prises n’ont été ni finies ni rendues") à temps.",
                "La reprise est automatique ; que cela arrive signifie qu’un processus est bloqué ou a été coupé.",
                "Regardez les dernières lignes du journal de chaque processus moteur, et relancez celui qui se tait.")
        case .databaseSlow(let milliseconds):
            SaidOfIncident(
                "La base de données met \(forms.number(milliseconds)) ms pour la plus petite question.",
                "Les livraisons d’Apple attendent, et sont refusées si cela empire.",
                "Regardez la charge de la base, ses disques et les longues transactions (refund-desk doctor).")
        case .databaseFull(let detail):
            SaidOfIncident(
                "La base de données n’accepte plus de données.",
                "Les livraisons d’Apple sont refusées et reviendront plus tard ; aucune réponse ne part. \(detail)",
                "Libérez de la place sur le disque de la base de données.")
        case .databaseFilling(let used, let size):
            SaidOfIncident(
                "Le volume de la base de données se remplit : \(forms.mebibytes(used)) sur \(forms.mebibytes(size)) sont occupés.",
                "Une fois plein, rien ne peut être enregistré, et les livraisons d’Apple sont refusées.",
                "Libérez de la place ou agrandissez-le ; mettez ensuite REFUND_DESK_DATABASE_BYTES à sa nouvelle taille."
            )
        case .databaseUnreachable(let detail):
            SaidOfIncident(
                "La base de données ne répond pas.",
                "Les livraisons d’Apple sont refusées et reviendront plus tard ; aucune réponse ne part. \(detail)",
                "Vérifiez que PostgreSQL tourne et qu’il est joignable d’ici.")
        case .masterKeyMissing(let host):
            SaidOfIncident(
                "Il n’y a pas de clé maîtresse sur \(host).",
                "Aucune clé ne s’ouvre : aucune réponse ne part de là, et rien de nouveau ne peut être scellé.",
                "Nommez le fichier de la clé dans REFUND_DESK_MASTER_KEY_FILE et redémarrez ; sa sauvegarde est la seule autre copie."
            )
        case .revocationUnreachable(let host, let since):
            SaidOfIncident(
                "Le service de révocation d’Apple n’a pas répondu à \(host) depuis le \(time(milliseconds: since)).",
                "Les notifications sont acceptées sans savoir si leurs certificats ont été révoqués.",
                "Autorisez cette machine à appeler ocsp.apple.com, ou mettez sciemment REFUND_DESK_REVOCATION_CHECK=off."
            )
        case .diskFull(let host, let path, let free, let size):
            SaidOfIncident(
                "Le disque sous \(path) de \(host) n’a plus que \(forms.mebibytes(free)) sur \(forms.mebibytes(size)).",
                "Une fois plein, rien ne peut être enregistré, et les livraisons d’Apple sont refusées.",
                "Libérez de la place, ou agrandissez le disque.")
        case .certificateRefused(let fault):
            SaidOfIncident(
                "L’adresse publique n’est pas joignable par TLS : \(fault).",
                "Apple ne livre rien à une adresse dont il ne croit pas le certificat.",
                "Renouvelez le certificat sur le proxy.")
        case .certificateEnding(let ends):
            SaidOfIncident(
                "Le certificat de l’adresse publique expire le \(time(milliseconds: ends)).",
                "Ensuite, Apple ne livre plus rien.",
                "Renouvelez le certificat sur le proxy, et cherchez pourquoi cela ne s’est pas fait tout seul.")
        }
    }

    func andMore(_ count: Int) -> String {
        isOne(count) ? " Et un autre du même genre." : " Et \(forms.number(count)) autres du même genre."
    }

    var confirmation: SaidOfIncident {
        SaidOfIncident(
            "Les alertes peuvent-elles être envoyées à cette adresse ?",
            "Quelqu’un a saisi cette adresse pour être prévenu quand les réponses aux demandes de remboursement échouent. Rien d’autre n’est envoyé ici avant votre accord.",
            "Ouvrez le lien dans la semaine et appuyez sur le bouton. Si vous n’en savez rien, ne faites rien.")
    }

    func trial(channel: String) -> SaidOfIncident {
        SaidOfIncident(
            "Un essai du canal \(channel).", "Tout va bien : quelqu’un a appuyé sur Test.", "Il n’y a rien à faire.")
    }

    func headline(_ event: Notice.Event, _ title: String) -> String {
        switch event {
        case .trigger, .confirm: title
        case .reminder: "Toujours ouvert : \(title)"
        case .acknowledged(let person): "Pris en charge par \(person) : \(title)"
        case .resolved: "Résolu : \(title)"
        case .test: "Essai : \(title)"
        }
    }

    func standing(_ event: Notice.Event, _ severity: Severity) -> String {
        switch event {
        case .trigger, .reminder: word(severity).uppercased()
        case .acknowledged: "PRIS EN CHARGE"
        case .resolved: "RÉSOLU"
        case .test: "ESSAI"
        case .confirm: "CONFIRMER"
        }
    }

    func word(_ severity: Severity) -> String {
        switch severity {
        case .info: "information"
        case .warning: "avertissement"
        case .error: "erreur"
        case .critical: "critique"
        }
    }

    var over: String { "résolu" }

    func history(from: Moment, to: Moment?, times: Int) -> String {
        let seen = times > 1 ? ", vu \(forms.number(times)) fois" : ""
        return to.map { "Du \(forms.time(from)) au \(forms.time($0))\(seen)" } ?? "Depuis le \(forms.time(from))\(seen)"
    }

    func label(_ label: NoticeLabel) -> String {
        switch label {
        case .since: "Depuis"
        case .rule: "Règle"
        case .requests: "Demandes de remboursement"
        case .atRisk: "En jeu"
        case .firstStep: "Première étape"
        case .cases: "Dossiers"
        case .oneCase: "Dossier"
        case .openIncident: "Ouvrir l’incident"
        case .runbook: "Procédure"
        case .confirm: "Confirmer l’adresse"
        case .tenant: "Organisation"
        case .state: "État"
        }
    }

    func span(_ duration: Duration) -> String {
        switch parts(duration) {
        case .seconds(let n): "\(n) s"
        case .minutes(let n): "\(n) min"
        case .hours(let n, let minutes): "\(n) h \(minutes) min"
        case .days(let n): "\(forms.number(n)) jours"
        }
    }

    private func effect(_ waiting: WaitingRequests) -> String {
        guard let left = waiting.leftSeconds else { return "Aucune demande de remboursement n’attend en ce moment." }
        let end = left > 0 ? "la première expire dans \(span(seconds: left))" : "la première a expiré"
        return "\(requests(waiting.count)) sans réponse ; \(end)."
    }

    private func requests(_ count: Int) -> String {
        "\(forms.number(count)) \(isOne(count) ? "demande" : "demandes") de remboursement"
    }

    /// French counts zero as one.
    private func isOne(_ count: Int) -> Bool { count < 2 }

    private func customers(_ count: Int) -> String { "\(forms.number(count)) \(isOne(count) ? "client" : "clients")" }

    private func list(_ names: [String]) -> String {
        names.count <= 3
            ? names.joined(separator: ", ") : "\(names[0]), \(names[1]) et \(forms.number(names.count - 2)) autres apps"
    }

    private func channel(_ name: String, _ kind: String, _ isOff: Bool) -> String {
        "canal \(name) (\(kind)) \(isOff ? "est désactivé" : "ne prend pas nos messages")"
    }

    private static func place(_ place: DriftPlace, of app: String) -> String {
        switch place {
        case .product(let id): "pour \(id) de \(app)"
        case .version(let build): "de la version \(build) de \(app)"
        case .storefront(let code): "pour \(app) dans le storefront \(code)"
        case .wholeApp: "pour \(app)"
        }
    }
}
