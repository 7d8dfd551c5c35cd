import Crypto
import FoundationEssentials
import Journal
import Loop
import Synchronization

/// What a command may look at: the environment of the process, and the settings in it.
final class Surroundings: Sendable {
    private let environment: [String: String]
    /// Sockets that systemd opened for this process.
    let sockets: [CInt]
    private let masterKey: Mutex<SecretBytes?>

    init(environment: [String: String], sockets: [CInt] = [], masterKey: consuming SecretBytes?) {
        self.environment = environment
        self.sockets = sockets
        self.masterKey = Mutex(masterKey)
    }

    /// Reads and checks every setting; once, because the master key is handed over.
    func configuration() throws -> Configuration {
        let taken = masterKey.withLock { $0.take() }
        return try Configuration(environment: environment, masterKey: taken)
    }
}

/// One command: its form, and what it does.
struct Command: Sendable {
    let form: CommandForm
    let run: @Sendable (Arguments, Surroundings) async throws -> Answer?

    init(_ form: CommandForm, run: @escaping @Sendable (Arguments, Surroundings) async throws -> Answer?) {
        self.form = form
        self.run = run
    }
}

/// From the command line to an exit code: 0 done, 1 failed, 2 wrong usage.
enum Program {
    static let commands: [Command] = [
        ServeCommand.serve, MigrateCommand.migrate, DoctorCommand.doctor, TenantCommand.add, TenantCommand.list,
        TenantCommand.rename, TenantCommand.close, TenantCommand.reopen,
        AppCommand.add, AppCommand.list, AppCommand.remove, InboxCommand.add, InboxCommand.list, InboxCommand.retire,
        KeyCommand.add, KeyCommand.list, KeyCommand.remove, OperatorCommand.add, OperatorCommand.list,
        OperatorCommand.reset, OperatorCommand.role, OperatorCommand.remove, RelayCommand.set, RelayCommand.show,
        RelayCommand.retry, CallbackCommand.set, TokenCommand.add, TokenCommand.list, TokenCommand.remove,
        ChannelCommand.add,
        ChannelCommand.list, ChannelCommand.test, ChannelCommand.remove, MasterKeyCommand.new, MasterKeyCommand.rotate,
        RehearseCommand.rehearse, VersionCommand.version,
    ]

    static func run(_ arguments: [String]) async -> Int32 {
        ProcessManners.ignoreBrokenPipes()
        ProcessManners.forbidCoreDumps()
        // Before anything reads the environment: what Foundation copies of it cannot be wiped.
        let masterKey = SecretBytes.takingEnvironment(Setting.masterKey.name)
        let sockets = InheritedSockets.take()
        let surroundings = Surroundings(
            environment: ProcessInfo.processInfo.environment, sockets: sockets, masterKey: masterKey)
        do {
            let answer = try await run(arguments.dropFirst(), surroundings)
            if let text = answer?.text, !text.isEmpty { StandardStreams.print(text) }
            return answer?.isGood == false ? 1 : 0
        } catch let error as UsageError {
            StandardStreams.complain("refund-desk: \(error)")
            StandardStreams.complain(error.usage.map { "usage: \($0)" } ?? "see refund-desk --help")
            return 2
        } catch {
            StandardStreams.complain(
                "\(error)".split(separator: "\n").map { "refund-desk: \($0)" }.joined(separator: "\n"))
            return 1
        }
    }

    /// Finds the command that the first words name and carries it out.
    private static func run(_ words: ArraySlice<String>, _ surroundings: Surroundings) async throws -> Answer? {
        guard let first = words.first else { throw UsageError("a command is missing") }
        if ["--help", "-h", "help"].contains(first) { return Answer([], text: help(commands)) }
        if first == "--version" { return try await VersionCommand.answer() }
        guard let command = commands.first(where: { words.starts(with: $0.form.words) }) else {
            let family = commands.filter { $0.form.words.first == first }
            guard !family.isEmpty else { throw UsageError("there is no command \"\(first)\"") }
            if words.dropFirst().contains(where: { ["--help", "-h"].contains($0) }) {
                return Answer([], text: help(family))
            }
            let known = family.map { $0.form.words.joined(separator: " ") }.joined(separator: ", ")
            throw UsageError("after \"\(first)\" comes one of: \(known)")
        }
        let arguments = try Arguments(words.dropFirst(command.form.words.count), for: command.form)
        if arguments.wantsHelp { return Answer([], text: command.form.help) }
        guard var answer = try await command.run(arguments, surroundings) else { return nil }
        if arguments.wantsJSON { answer.text = JSON.object(answer.members).text }
        return answer
    }

    private static func help(_ commands: [Command]) -> String {
        let width = (commands.map { $0.form.words.joined(separator: " ").count }.max() ?? 0) + 2
        let lines = commands.map { command in
            let words = command.form.words.joined(separator: " ")
            return "  \(words)" + String(repeating: " ", count: width - words.count) + command.form.summary
        }
        return """
            refund-desk: App Store refunds, answered

            \(lines.joined(separator: "\n"))

            Each command tells more with --help. Settings come from the environment; see the README.
            """
    }
}
