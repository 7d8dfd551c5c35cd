import Journal
import Loop

/// A part of the service that may run in a process of its own.
enum Part: String, Sendable, CaseIterable {
    /// Notifications and the API.
    case gateway
    /// Jobs, sweeps, alerts.
    case engine
    /// Pages.
    case console
}

/// `refund-desk serve`
enum ServeCommand {
    static let serve = Command(
        CommandForm(
            words: ["serve"],
            options: [
                .repeatable("only", "gateway|engine|console", "only this part; repeatable; all of them otherwise")
            ],
            summary: "Serves: notifications, API, replies and pages, until it is told to stop.", hasAnswer: false)
    ) { arguments, surroundings in
        var parts: Set<Part> = []
        for word in arguments.all("only") {
            guard let part = Part(rawValue: word) else {
                throw UsageError("--only is one of gateway, engine, console", usage: arguments.form.usage)
            }
            parts.insert(part)
        }
        let configuration = try surroundings.configuration()
        let journal = Journal.standardError(level: configuration.log)
        try await Service.run(
            parts.isEmpty ? Set(Part.allCases) : parts, configuration, sockets: surroundings.sockets, journal: journal)
        return nil
    }
}
