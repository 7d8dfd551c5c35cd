import Time

struct SpanishWording: Wording {
    let forms: LocalForms

    func said(_ sentence: IncidentSentence) -> SaidOfIncident {
        switch sentence {
        case .credentialsRefused(let key, let apps, let waiting):
            SaidOfIncident(
                "Apple rechaza la clave \(key) en Production, para \(list(apps)).", effect(waiting),
                "Abra la página de configuración de \(apps.first ?? "la app"): dice qué puede significar el rechazo de Apple. Después añada una clave que Apple acepte."
            )
        case .keyAbsent(let app, let waiting):
            SaidOfIncident(
                "\(app) no tiene ninguna clave con la que firmar.", effect(waiting),
                "Añada una clave de compras integradas en la página de configuración de la app.")
        case .sealedUnreadable(let subject, let isKey, let step):
            SaidOfIncident(
                "Un secreto sellado no se abre: \(subject).",
                isKey
                    ? "No se puede firmar nada con él; las solicitudes que lo necesitan esperan."
                    : "Lo que lo necesita no funciona; las respuestas siguen saliendo.", step)
        case .clockOff(let seconds):
            SaidOfIncident(
                "Nuestro reloj va \(span(seconds: abs(seconds))) \(seconds > 0 ? "adelantado" : "atrasado") respecto al de Apple.",
                "Apple rechaza las llamadas firmadas con un reloj erróneo, con el mismo 401 que una clave incorrecta.",
                "Ponga en hora esta máquina por NTP. No hay que cambiar las claves.")
        case .repliesFailing(let app, let said, let waiting):
            SaidOfIncident(
                "Las respuestas de \(app) fallan: \(said.isEmpty ? "Apple no responde" : "Apple dice \(said)").",
                effect(waiting),
                "No hay que enviar nada a mano: cada respuesta se repite hasta su plazo. Mire developer.apple.com/system-status y el caso más reciente."
            )
        case .deadlineAtRisk(let app, let count, let left):
            SaidOfIncident(
                "\(requests(count)) de \(app) sin respuesta, quedan \(span(seconds: left)).",
                "El primer plazo vence en \(span(seconds: left)). Después Apple decide sin nosotros.",
                "Abra el primer caso: dice a qué espera su respuesta.")
        case .deadlineMissed(let app, let count):
            SaidOfIncident(
                "\(requests(count)) de \(app) \(count == 1 ? "terminó" : "terminaron") sin nuestra respuesta en el último día.",
                "Apple decide sin nosotros.",
                "Abra el caso: su página dice por qué no salió ninguna respuesta a tiempo. Esto se cierra solo al cabo de un día."
            )
        case .commerceStopped(let app, let said, let waiting):
            SaidOfIncident(
                "Las llamadas de Advanced Commerce de \(app) están detenidas: \(said.isEmpty ? "Apple rechazó una" : "Apple dijo \(said)"), quizá por falta del anexo.",
                "\(forms.number(waiting)) \(waiting == 1 ? "petición espera" : "peticiones esperan"); ninguna se pierde.",
                "Abra la página de Advanced Commerce de la app, mire lo que dijo Apple y reenvíe el texto al Account Holder."
            )
        case .commerceFailing(let app, let count, let newest):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "petición" : "peticiones") de Advanced Commerce de \(app) \(count == 1 ? "falló" : "fallaron") en el último día: \(newest)",
                "Hay clientes que esperan reembolsos que alguien pidió.",
                "Abra las peticiones fallidas: cada una dice qué significa el código de Apple y qué hacer.")
        case .notificationsRefused(let app, let count, let reason):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "notificación para \(app) fue rechazada" : "notificaciones para \(app) fueron rechazadas") en dos horas: \(reason).",
                "Las notificaciones auténticas se aceptan como antes.",
                "Mire la cuarentena: nombra el defecto de cada una. Si son falsas, cambie la URL de notificación.")
        case .versionOneArrives(let app):
            SaidOfIncident(
                "Llegan notificaciones de la versión 1 para \(app).",
                "La versión 1 no tiene solicitudes que se puedan responder: hasta el cambio no se responde ninguna.",
                "En App Store Connect, App Information, App Store Server Notifications, elija la versión 2.")
        case .appleSilent(let app, let since, let gap, let why):
            SaidOfIncident(
                "Ninguna notificación para \(app) desde \(time(milliseconds: since)).",
                "Su pausa habitual más larga es de \(span(seconds: gap)). \(why ?? "Tampoco ha llegado una notificación TEST que se pidió.") Podemos estar perdiendo solicitudes de reembolso.",
                "Compruebe en App Store Connect que la URL de notificación sigue siendo la nuestra, y después que la dirección pública es accesible desde fuera."
            )
        case .historyUnread(let app, let said):
            SaidOfIncident(
                "El historial de notificaciones de Apple para \(app) no se puede leer hasta el final: \(said)",
                "Lo que Apple no pudo entregar aquí sigue sin conocerse hasta que llegue por sí mismo.",
                "Mire qué responde Apple; se vuelve a intentar cada pocos minutos.")
        case .historyFetched(let app, let count):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "notificación para \(app) no había llegado y se recuperó" : "notificaciones para \(app) no habían llegado y se recuperaron") del historial de Apple.",
                "Se procesan como si hubieran llegado; las solicitudes cuyo plazo había pasado están perdidas.",
                "Si ninguna caída nuestra lo explica, compruebe que la dirección pública es accesible desde fuera. Se cierra por sí mismo una hora después de la última."
            )
        case .relayFailing(let app, let said, let waiting):
            SaidOfIncident(
                "El otro receptor de \(app) no acepta sus notificaciones: \(said)",
                "\(forms.number(waiting)) \(waiting == 1 ? "notificación lo espera" : "notificaciones lo esperan"), tres días como máximo. Nuestras respuestas siguen saliendo.",
                "Repare el receptor o cambie su URL en la página de configuración de la app.")
        case .callbackFailing(let app, let said, let without):
            SaidOfIncident(
                "El servidor de \(app) no responde cuando se le pregunta por solicitudes de reembolso: \(said)",
                without == 0
                    ? "Las respuestas lo esperan la mitad de su tiempo y luego salen con lo que se sabe."
                    : "\(forms.number(without)) \(without == 1 ? "solicitud se decidió" : "solicitudes se decidieron") sin lo que él sabe. Las respuestas lo esperan la mitad de su tiempo.",
                "Repare el servidor, o pulse Test en la página Evidence de la app para ver qué responde. Se cierra con su próxima respuesta."
            )
        case .consentMissing(let app, let without, let all):
            SaidOfIncident(
                "\(forms.number(without)) de las últimas \(forms.number(all)) solicitudes de reembolso de \(app) quedaron sin respuesta por falta de consentimiento.",
                "Apple decide sin nosotros.",
                "Comunique el consentimiento por la API o declárelo para todos los compradores en la página de configuración."
            )
        case .consentRescinded(let app, let count):
            SaidOfIncident(
                "Según Apple, los padres retiraron el consentimiento de \(customers(count)) de \(app).",
                "No se envía nada a Apple sobre sus compras hasta que alguien decida.",
                "Abra la página Consent de la app y decida: volver a responder o dejarlo detenido.")
        case .reasonDrift(let app, let reason, let place, let count, let usual):
            SaidOfIncident(
                "Las solicitudes de reembolso \(Self.place(place, of: app)) dan \(reason): \(customers(count)) en un día.",
                "Lo habitual es \(forms.number(usual)) al día: puede que algo esté roto en la app.",
                "Abra los más recientes de estos casos y mire qué cambió en la app o en su servidor.")
        case .developerIssues(let app, let place, let count, let usual):
            SaidOfIncident(
                "Apple atribuye a la app reembolsos \(Self.place(place, of: app)): \(customers(count)) en un día.",
                "Lo habitual es \(forms.number(usual)) al día: puede que algo esté roto en la app.",
                "Abra los más recientes de estos casos y mire qué cambió en la app o en su servidor.")
        case .channelFailing(let name, let kind, let isOff, let said):
            SaidOfIncident(
                "El \(channel(name, kind, isOff)).", "Por él no se avisa a nadie. \(said)",
                "Abra el canal, ponga una dirección o clave nueva y pulse Test.")
        case .channelsFailing(let count, let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(forms.number(count)) canales no aceptan nuestros mensajes.",
                "Por ellos no se avisa a nadie. El primero: el \(channel(name, kind, isOff)). \(said)",
                "Abra la página de canales: allí está lo que dice cada uno. Si todos dicen lo mismo, lo roto es la salida de esta máquina, no sus claves."
            )
        case .noChannel:
            SaidOfIncident(
                "No hay ningún canal.", "Pase lo que pase, no se avisa a nadie.", "Añada un canal en la página Alerts.")
        case .noChannelWorks:
            SaidOfIncident(
                "Ningún canal funciona.", "Pase lo que pase, no se avisa a nadie.",
                "Añada un canal en la página Alerts.")
        case .queueOld(let waited, let ready):
            SaidOfIncident(
                "Hay trabajo que debería empezar en segundos y espera desde hace \(span(seconds: waited)).",
                "\(forms.number(ready)) \(ready == 1 ? "tarea lista" : "tareas listas"); las respuestas se retrasan.",
                "Mire si el motor funciona (refund-desk serve --only engine) y la carga de la base de datos.")
        case .workerStuck(let count):
            SaidOfIncident(
                "\(forms.number(count)) \(count == 1 ? "tarea tomada no se terminó ni se devolvió" : "tareas tomadas no se terminaron ni se devolvieron") a tiempo.",
                "Se retoman solas; que ocurra significa que un proceso está colgado o quedó aislado.",
                "Mire las últimas líneas del registro de cada proceso del motor y reinicie el que calla.")
        case .databaseSlow(let milliseconds):
            SaidOfIncident(
                "La base de datos tarda \(forms.number(milliseconds)) ms en la pregunta más pequeña.",
                "Las entregas de Apple esperan, y se rechazan si empeora.",
                "Mire la carga de la base de datos, sus discos y las transacciones largas (refund-desk doctor).")
        case .databaseFull(let detail):
            SaidOfIncident(
                "La base de datos no acepta más datos.",
                "Las entregas de Apple se rechazan y volverán más tarde; no sale ninguna respuesta. \(detail)",
                "Haga sitio en el disco de la base de datos.")
        case .databaseFilling(let used, let size):
            SaidOfIncident(
                "El volumen de la base de datos se llena: \(forms.mebibytes(used)) de \(forms.mebibytes(size)) están ocupados.",
                "Cuando esté lleno no se podrá guardar nada, y las entregas de Apple se rechazarán.",
                "Haga sitio o amplíelo; después ponga REFUND_DESK_DATABASE_BYTES en su nuevo tamaño.")
        case .databaseUnreachable(let detail):
            SaidOfIncident(
                "La base de datos no responde.",
                "Las entregas de Apple se rechazan y volverán más tarde; no sale ninguna respuesta. \(detail)",
                "Mire si PostgreSQL funciona y es accesible desde aquí.")
        case .masterKeyMissing(let host):
            SaidOfIncident(
                "No hay clave maestra en \(host).",
                "Ninguna clave se abre: desde allí no sale ninguna respuesta y no se puede sellar nada nuevo.",
                "Nombre el archivo de la clave en REFUND_DESK_MASTER_KEY_FILE y reinicie; su copia de seguridad es la única otra copia."
            )
        case .revocationUnreachable(let host, let since):
            SaidOfIncident(
                "El servicio de revocación de Apple no responde a \(host) desde \(time(milliseconds: since)).",
                "Las notificaciones se aceptan sin saber si sus certificados fueron revocados.",
                "Permita que esta máquina llame a ocsp.apple.com, o ponga a sabiendas REFUND_DESK_REVOCATION_CHECK=off."
            )
        case .diskFull(let host, let path, let free, let size):
            SaidOfIncident(
                "Al disco bajo \(path) de \(host) le quedan \(forms.mebibytes(free)) de \(forms.mebibytes(size)).",
                "Cuando esté lleno no se podrá guardar nada, y las entregas de Apple se rechazarán.",
                "Haga sitio o amplíe el disco.")
        case .certificateRefused(let fault):
            SaidOfIncident(
                "No se puede llegar a la dirección pública por TLS: \(fault).",
                "Apple no entrega nada a una dirección en cuyo certificado no confía.",
                "Renueve el certificado en el proxy.")
        case .certificateEnding(let ends):
            SaidOfIncident(
                "El certificado de la dirección pública caduca el \(time(milliseconds: ends)).",
                "Después Apple no entrega nada.",
                "Renueve el certificado en el proxy y averigüe por qué no ocurrió solo.")
        }
    }

    func andMore(_ count: Int) -> String {
        count == 1 ? " Y otro igual." : " Y \(forms.number(count)) más iguales."
    }

    var confirmation: SaidOfIncident {
        SaidOfIncident(
            "¿Pueden llegar avisos a esta dirección?",
            "Alguien introdujo esta dirección para saber cuándo fallan las respuestas a solicitudes de reembolso. No se envía nada más aquí hasta que usted lo diga.",
            "Abra el enlace en el plazo de una semana y pulse el botón. Si no sabe nada de esto, no haga nada.")
    }

    func trial(channel: String) -> SaidOfIncident {
        SaidOfIncident(
            "Una prueba del canal \(channel).", "Todo está bien: alguien pulsó Test.", "No hay que hacer nada.")
    }

    func headline(_ event: Notice.Event, _ title: String) -> String {
        switch event {
        case .trigger, .confirm: title
        case .reminder: "Sigue abierto: \(title)"
        case .acknowledged(let person): "Asumido por \(person): \(title)"
        case .resolved: "Resuelto: \(title)"
        case .test: "Prueba: \(title)"
        }
    }

    func standing(_ event: Notice.Event, _ severity: Severity) -> String {
        switch event {
        case .trigger, .reminder: word(severity).uppercased()
        case .acknowledged: "ASUMIDO"
        case .resolved: "RESUELTO"
        case .test: "PRUEBA"
        case .confirm: "CONFIRMAR"
        }
    }

    func word(_ severity: Severity) -> String {
        switch severity {
        case .info: "información"
        case .warning: "advertencia"
        case .error: "error"
        case .critical: "crítico"
        }
    }

    var over: String { "resuelto" }

    func history(from: Moment, to: Moment?, times: Int) -> String {
        let seen = times > 1 ? ", visto \(forms.number(times)) veces" : ""
        return to.map { "De \(forms.time(from)) a \(forms.time($0))\(seen)" } ?? "Desde \(forms.time(from))\(seen)"
    }

    func label(_ label: NoticeLabel) -> String {
        switch label {
        case .since: "Desde"
        case .rule: "Regla"
        case .requests: "Solicitudes de reembolso"
        case .atRisk: "En riesgo"
        case .firstStep: "Primer paso"
        case .cases: "Casos"
        case .oneCase: "Caso"
        case .openIncident: "Abrir el incidente"
        case .runbook: "Guía"
        case .confirm: "Confirmar la dirección"
        case .tenant: "Organización"
        case .state: "Estado"
        }
    }

    func span(_ duration: Duration) -> String {
        switch parts(duration) {
        case .seconds(let n): "\(n) s"
        case .minutes(let n): "\(n) min"
        case .hours(let n, let minutes): "\(n) h \(minutes) min"
        case .days(let n): "\(forms.number(n)) días"
        }
    }

    private func effect(_ waiting: WaitingRequests) -> String {
        guard let left = waiting.leftSeconds else { return "Ahora no espera ninguna solicitud de reembolso." }
        let end = left > 0 ? "la primera vence en \(span(seconds: left))" : "la primera ha vencido"
        return "\(requests(waiting.count)) sin respuesta; \(end)."
    }

    private func requests(_ count: Int) -> String {
        "\(forms.number(count)) \(count == 1 ? "solicitud" : "solicitudes") de reembolso"
    }

    private func customers(_ count: Int) -> String { "\(forms.number(count)) \(count == 1 ? "cliente" : "clientes")" }

    private func list(_ names: [String]) -> String {
        names.count <= 3
            ? names.joined(separator: ", ") : "\(names[0]), \(names[1]) y \(forms.number(names.count - 2)) apps más"
    }

    private func channel(_ name: String, _ kind: String, _ isOff: Bool) -> String {
        "canal \(name) (\(kind)) \(isOff ? "está desactivado" : "no acepta nuestros mensajes")"
    }

    private static func place(_ place: DriftPlace, of app: String) -> String {
        switch place {
        case .product(let id): "de \(id) de \(app)"
        case .version(let build): "de la versión \(build) de \(app)"
        case .storefront(let code): "de \(app) en el storefront \(code)"
        case .wholeApp: "de \(app)"
        }
    }
}
