import Journal

/// New recovery codes, shown this once.
struct RecoveryCodesPage {
    let frame: Frame
    let codes: [Redacted<String>]
    /// What was done before: `Codes from your app are on.`
    var done: String?

    var html: HTML {
        Layout(frame, title: "Recovery codes").console {
            PageHeader("Recovery codes") {
                "For the day the app or the passkey is lost. Each works once, after your password."
            }.html
            if let done { Notice(.good, done).html }
            Notice(.attention, "They are shown this once.", more: "Print them, or keep them in a password manager.")
                .html
            CodeBlock(codes.map { $0.reveal() }.joined(separator: "\n"), label: "Recovery codes").html
            p { a(.class("button button-main"), .href(.account)) { "I have kept them" } }
        }
    }
}
