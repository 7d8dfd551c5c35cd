import Refunds
import Tenants

/// How far the time before an app was added is read, in a line for each environment.
struct ImportLine {
    let standing: AppStanding
    let slug: String

    var html: HTML {
        let all = AppEnvironment.allCases.compactMap { environment in
            standing.imports[isSandbox: environment == .sandbox].map { (environment, $0) }
        }
        return span {
            for (environment, one) in all {
                span(.class("subtext")) {
                    Badge(text: standing.app.environmentLabel(environment), tone: ImportWords.tone(one.state)).html
                    " \(ImportWords.text(one))"
                }
            }
            if standing.app.isRehearsal {
                span(.class("quiet")) { "a rehearsal has no past" }
            } else {
                a(.href(.pastImport(slug, bundleID: standing.app.bundleID))) {
                    all.isEmpty ? "Not read yet" : "Progress, stop, read again"
                }
            }
        }
    }
}

/// The words of reading the past.
enum ImportWords {
    static func tone(_ state: ImportStanding.State) -> Tone {
        switch state {
        case .running: .active
        case .done: .good
        case .stopped: .plain
        case .givenUp: .attention
        }
    }

    static func label(_ state: ImportStanding.State) -> String {
        switch state {
        case .running: "Is being read"
        case .done: "Read"
        case .stopped: "Stopped"
        case .givenUp: "Given up"
        }
    }

    static func text(_ one: ImportStanding) -> String {
        let found = "\(one.imported) imported, \(one.held) were here already"
        switch one.state {
        case .running: return "is being read, \(one.read) of \(one.windows) parts: \(found)"
        case .done: return "read back to \(TimeText(one.from).short.prefix(10)): \(found)"
        case .stopped: return "stopped after \(one.read) of \(one.windows) parts: \(found)"
        case .givenUp: return "given up after \(one.read) of \(one.windows) parts: \(found)"
        }
    }
}
