import Refunds
import Time

/// Reports about consent, one a row.
struct ConsentTable {
    let caption: String
    let changes: [ConsentChange]

    var html: HTML {
        DataTable(
            caption: caption,
            columns: [
                .init("Entry", isNumber: true) { change in span { "\(change.changeNo)" } },
                .init("What") { change in
                    Badge(text: change.consented ? "Agreed" : "Withdrawn", tone: change.consented ? .good : .attention)
                        .html
                },
                .init("When") { change in
                    TimeText(change.givenAt).fullHTML
                    span(.class("subtext")) { "reported \(TimeText(change.learnedAt).short)" }
                },
                .init("Wording") { change in
                    if let wording = change.wording {
                        span { NameText(wording).html }
                        if change.isWordingKept == false { span(.class("subtext")) { "its text is not kept" } }
                    } else {
                        span(.class("quiet")) { "not named" }
                    }
                },
                .init("Source") { change in
                    if let source = change.source {
                        span { NameText(source).html }
                    } else {
                        span(.class("quiet")) { "not named" }
                    }
                },
            ], rows: changes
        ).html
    }
}
