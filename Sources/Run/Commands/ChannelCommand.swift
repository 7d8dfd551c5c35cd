/// `refund-desk channel …`: not part of this release.
enum ChannelCommand {
    static let add = command("add")
    static let remove = command("remove")

    private static func command(_ word: String) -> Command {
        Command(
            CommandForm(
                words: ["channel", word],
                options: [
                    .optional("tenant", "SLUG", "whose channel it is"), .optional("kind", "K", "which service"),
                    .optional("target", "T", "its address, where that is not secret"),
                    .optional("id", "ID", "which channel"),
                    .flag("secret-stdin", "reads the secret from standard input"),
                ],
                summary: "Ways to reach somebody. Not in this release.")
        ) { _, _ in
            throw UsageError("this release has no channels yet; a later one brings \"channel \(word)\"")
        }
    }
}
