import Foundation
import Journal
import Simulator

/// The program: reads its arguments, runs the small Apple until it is told to stop.
enum SimulatorCommand {
    /// - Returns: the exit status: 0, 1 failed, 2 wrong usage.
    static func run(_ arguments: [String]) async -> Int32 {
        let options: Options
        do throws(Options.Fault) {
            options = try Options(arguments)
        } catch {
            return fail(error.text + "\nTry --help.", status: 2)
        }
        if options.wantsHelp {
            say(Help.usage, to: .standardOutput)
            return 0
        }
        guard let listen = options.listen, let state = options.state else {
            return fail("--listen and --state are needed\nTry --help.", status: 2)
        }
        var settings = SmallApple.Settings()
        settings.listen = listen
        settings.seed = options.seed
        settings.manners = options.isCalm ? .calm : .asEver
        do {
            try await SmallApple.runUntilStopped(
                settings, folder: StateFolder(path: state), journal: .standardError(level: options.level)
            ) { apple in
                say("listening at \(apple.address), seed \(apple.seed)", to: .standardOutput)
            }
            return 0
        } catch {
            return fail("\(error)", status: 1)
        }
    }

    private static func fail(_ text: String, status: Int32) -> Int32 {
        say("app-store-simulator: \(text)", to: .standardError)
        return status
    }

    private static func say(_ text: String, to stream: FileHandle) { stream.write(Data((text + "\n").utf8)) }
}
