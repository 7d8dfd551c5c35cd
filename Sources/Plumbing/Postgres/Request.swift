/// What a connection sent and has no full answer to yet.
struct Request {
    let id: Int
    let commands: [Command]
    let deadline: ContinuousClock.Instant
    /// Whether its success makes changes durable: then a lost connection leaves the outcome unknown.
    let decides: Bool
    /// The command whose result comes next.
    var next = 0
    var results: [ResultHandle] = []
    /// The first failure; what follows it up to the sync is not carried out.
    var failure: PostgresError?
    var waiting: CheckedContinuation<Result<[ResultHandle], PostgresError>, Never>?

    init(id: Int, commands: [Command], deadline: ContinuousClock.Instant, decides: Bool) {
        self.id = id
        self.commands = commands
        self.deadline = deadline
        self.decides = decides
    }

    var isScript: Bool {
        if case .script = commands.first { true } else { false }
    }

    /// When the sync was answered: all of it is known.
    var outcome: Result<[ResultHandle], PostgresError> { failure.map { .failure($0) } ?? .success(results) }

    /// When the connection ended first.
    func outcome(afterEnd reason: PostgresError) -> Result<[ResultHandle], PostgresError> {
        .failure(failure ?? (decides ? reason.withUnknownOutcome : reason))
    }
}

/// One message to the server that has one result.
enum Command {
    case prepare(PreparedStatements.Key)
    case execute(PreparedStatements.Key)
    /// Its result is of no interest.
    case housekeeping
    case script

    var text: String? {
        switch self {
        case .prepare(let key), .execute(let key): key.text
        case .housekeeping, .script: nil
        }
    }
}

/// The transaction that a connection is in.
struct OpenTransaction {
    let number: Int
    /// The statements that open it, sent together with its first ones.
    let opening: [SQL]
    let deadline: ContinuousClock.Instant
    var hasBegun = false
    /// Its last statements took the commit with them.
    var isCommitted = false

    init(number: Int, opening: [SQL], deadline: ContinuousClock.Instant) {
        self.number = number
        self.opening = opening
        self.deadline = deadline
    }
}
