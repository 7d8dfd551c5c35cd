/// One language of the letters to customers: a situation that one lacks, the compiler misses.

enum EnglishLetter {
    static func text(_ situation: CustomerSituation, app: String, day: String?) -> String {
        let purchase = "your purchase in \(app)" + (day.map { " (\($0))" } ?? "")
        return "Hello,\n\n\(said(situation, purchase))\n\nKind regards"
    }

    private static func said(_ situation: CustomerSituation, _ purchase: String) -> String {
        switch situation {
        case .waiting:
            "you asked Apple for a refund of \(purchase). Apple decides about it, usually within 48 hours, and tells you by e-mail. We cannot decide it for Apple. You can follow it at \(CustomerText.place)."
        case .unheard:
            "you asked Apple for a refund of \(purchase). Apple has not told us what it decided. What became of your request stands at \(CustomerText.place); if it is not there, Apple Support can tell you."
        case .refunded:
            "Apple has refunded \(purchase). The money comes from Apple, to the payment method that you used; how long that takes depends on it. You can follow it at \(CustomerText.place)."
        case .refundedInPart:
            "Apple has refunded a part of \(purchase). The money comes from Apple, to the payment method that you used. Apple decides about the amount; you can see it at \(CustomerText.place)."
        case .declined:
            "Apple has declined to refund \(purchase). The decision is Apple's. If you do not agree, you can ask Apple again at \(CustomerText.place) or through Apple Support. If something in the app does not work, write to us: we help gladly."
        case .reversed:
            "Apple had refunded \(purchase) and has taken the refund back. The purchase is yours again, and you can use it as before. Questions about the payment are answered by Apple Support."
        }
    }
}

enum GermanLetter {
    static func text(_ situation: CustomerSituation, app: String, day: String?) -> String {
        let purchase = "Ihren Kauf in \(app)" + (day.map { " (\($0))" } ?? "")
        return "Guten Tag,\n\n\(said(situation, purchase))\n\nFreundliche Grüße"
    }

    private static func said(_ situation: CustomerSituation, _ purchase: String) -> String {
        switch situation {
        case .waiting:
            "Sie haben Apple um eine Erstattung für \(purchase) gebeten. Darüber entscheidet Apple, meist innerhalb von 48 Stunden, und benachrichtigt Sie per E-Mail. Wir können diese Entscheidung nicht für Apple treffen. Den Stand sehen Sie unter \(CustomerText.place)."
        case .unheard:
            "Sie haben Apple um eine Erstattung für \(purchase) gebeten. Apple hat uns nicht mitgeteilt, wie entschieden wurde. Den Stand Ihrer Anfrage sehen Sie unter \(CustomerText.place); steht sie dort nicht, hilft der Apple Support weiter."
        case .refunded:
            "Apple hat eine Erstattung für \(purchase) gewährt. Das Geld kommt von Apple auf die Zahlungsmethode, die Sie benutzt haben; wie lange das dauert, hängt von dieser ab. Den Stand sehen Sie unter \(CustomerText.place)."
        case .refundedInPart:
            "Apple hat eine teilweise Erstattung für \(purchase) gewährt. Das Geld kommt von Apple auf die Zahlungsmethode, die Sie benutzt haben. Über die Höhe entscheidet Apple; Sie sehen sie unter \(CustomerText.place)."
        case .declined:
            "Apple hat eine Erstattung für \(purchase) abgelehnt. Die Entscheidung liegt bei Apple. Wenn Sie nicht einverstanden sind, können Sie unter \(CustomerText.place) oder beim Apple Support noch einmal nachfragen. Wenn in der App etwas nicht funktioniert, schreiben Sie uns: Wir helfen gern."
        case .reversed:
            "Apple hatte eine Erstattung für \(purchase) gewährt und hat sie zurückgenommen. Der Kauf gehört wieder Ihnen, und Sie können ihn wie zuvor nutzen. Fragen zur Zahlung beantwortet der Apple Support."
        }
    }
}

enum FrenchLetter {
    static func text(_ situation: CustomerSituation, app: String, day: String?) -> String {
        let purchase = "votre achat dans \(app)" + (day.map { " (\($0))" } ?? "")
        return "Bonjour,\n\n\(said(situation, purchase))\n\nCordialement"
    }

    private static func said(_ situation: CustomerSituation, _ purchase: String) -> String {
        switch situation {
        case .waiting:
            "Vous avez demandé à Apple le remboursement de \(purchase). C’est Apple qui décide, en général sous 48 heures, et qui vous en informe par e-mail. Nous ne pouvons pas décider à sa place. Vous pouvez suivre votre demande sur \(CustomerText.place)."
        case .unheard:
            "Vous avez demandé à Apple le remboursement de \(purchase). Apple ne nous a pas communiqué sa décision. L’état de votre demande figure sur \(CustomerText.place) ; si elle n’y apparaît pas, l’assistance Apple pourra vous renseigner."
        case .refunded:
            "Apple a remboursé \(purchase). L’argent vient d’Apple et est versé sur le moyen de paiement que vous avez utilisé, dont dépend le délai. Vous pouvez suivre le remboursement sur \(CustomerText.place)."
        case .refundedInPart:
            "Apple a remboursé une partie de \(purchase). L’argent vient d’Apple et est versé sur le moyen de paiement que vous avez utilisé. Apple décide du montant ; vous le trouverez sur \(CustomerText.place)."
        case .declined:
            "Apple a refusé le remboursement de \(purchase). La décision appartient à Apple. Si vous n’êtes pas d’accord, vous pouvez refaire une demande sur \(CustomerText.place) ou auprès de l’assistance Apple. Si quelque chose ne fonctionne pas dans l’app, écrivez-nous : nous vous aiderons volontiers."
        case .reversed:
            "Apple avait remboursé \(purchase) et a annulé ce remboursement. L’achat est de nouveau le vôtre et vous pouvez l’utiliser comme avant. Pour toute question sur le paiement, adressez-vous à l’assistance Apple."
        }
    }
}

enum SpanishLetter {
    static func text(_ situation: CustomerSituation, app: String, day: String?) -> String {
        let purchase = "su compra en \(app)" + (day.map { " (\($0))" } ?? "")
        return "Hola:\n\n\(said(situation, purchase))\n\nUn saludo"
    }

    private static func said(_ situation: CustomerSituation, _ purchase: String) -> String {
        switch situation {
        case .waiting:
            "Ha pedido a Apple el reembolso de \(purchase). Lo decide Apple, normalmente en 48 horas, y le avisa por correo electrónico. Nosotros no podemos decidirlo en su lugar. Puede seguir su solicitud en \(CustomerText.place)."
        case .unheard:
            "Ha pedido a Apple el reembolso de \(purchase). Apple no nos ha comunicado su decisión. El estado de su solicitud figura en \(CustomerText.place); si no aparece allí, el soporte técnico de Apple puede informarle."
        case .refunded:
            "Apple ha reembolsado \(purchase). El dinero viene de Apple y llega al método de pago que usted utilizó, del que depende el plazo. Puede seguirlo en \(CustomerText.place)."
        case .refundedInPart:
            "Apple ha reembolsado una parte de \(purchase). El dinero viene de Apple y llega al método de pago que usted utilizó. Apple decide el importe; puede verlo en \(CustomerText.place)."
        case .declined:
            "Apple ha rechazado el reembolso de \(purchase). La decisión es de Apple. Si no está de acuerdo, puede volver a solicitarlo en \(CustomerText.place) o a través del soporte técnico de Apple. Si algo no funciona en la app, escríbanos: le ayudaremos con mucho gusto."
        case .reversed:
            "Apple había reembolsado \(purchase) y ha anulado el reembolso. La compra vuelve a ser suya y puede usarla como antes. El soporte técnico de Apple responde a las preguntas sobre el pago."
        }
    }
}

enum JapaneseLetter {
    static func text(_ situation: CustomerSituation, app: String, day: String?) -> String {
        let purchase = "「\(app)」でのご購入" + (day.map { "（\($0)）" } ?? "")
        return "お客様\n\n\(said(situation, purchase))\n\nよろしくお願いいたします。"
    }

    private static func said(_ situation: CustomerSituation, _ purchase: String) -> String {
        switch situation {
        case .waiting:
            "\(purchase)について、Appleに返金をリクエストされました。返金の可否はAppleが通常48時間以内に判断し、メールでお知らせします。当方で決めることはできません。状況は \(CustomerText.place) でご確認いただけます。"
        case .unheard:
            "\(purchase)について、Appleに返金をリクエストされました。当方にはAppleの判断がまだ届いておりません。状況は \(CustomerText.place) でご確認ください。表示されない場合は、Appleサポートにお問い合わせください。"
        case .refunded:
            "\(purchase)について、Appleが返金を行いました。返金はAppleから、お支払いに使われた方法へ行われます。反映までの日数はお支払い方法によって異なります。状況は \(CustomerText.place) でご確認いただけます。"
        case .refundedInPart:
            "\(purchase)について、Appleが一部の返金を行いました。返金はAppleから、お支払いに使われた方法へ行われます。金額はAppleが決定しており、\(CustomerText.place) でご確認いただけます。"
        case .declined:
            "\(purchase)について、Appleは返金を承認しませんでした。この判断はAppleによるものです。ご納得いただけない場合は、\(CustomerText.place) またはAppleサポートから、あらためてお問い合わせいただけます。アプリの動作に問題がある場合は、当方までお知らせください。喜んで対応いたします。"
        case .reversed:
            "\(purchase)について、Appleは一度行った返金を取り消しました。ご購入は再び有効になり、これまでどおりご利用いただけます。お支払いについては、Appleサポートにお問い合わせください。"
        }
    }
}
