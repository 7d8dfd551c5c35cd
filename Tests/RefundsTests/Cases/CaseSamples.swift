import AppStore
import FoundationEssentials
import Time

@testable import Refunds

/// Noon of a day long ago: pure functions do not care which.
let noon = Moment(milliseconds: 1_781_524_800_000)

func id(_ n: Int) -> UUID {
    let digits = String(n)
    return UUID(uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!
}

func fact(
    _ kind: CaseFact.Kind, _ n: Int, at signedAt: Moment = noon, source: CaseFact.Source = .notification,
    reason: String? = nil
) -> CaseFact {
    CaseFact(id: id(n), kind: kind, signedAt: signedAt, source: source, reason: reason)
}

/// A request signed and received at noon, and its round.
func requested(
    _ n: Int = 1, at signedAt: Moment = noon, received: Moment? = nil, arrival: Round.Arrival = .posted,
    environment: Environment = .production
) -> RefundCase {
    let source: CaseFact.Source =
        switch arrival {
        case .posted: .notification
        case .history: .history
        case .imported: .imported
        }
    return RefundCase(
        facts: [fact(.request, n, at: signedAt, source: source)],
        rounds: [
            Round(
                id: id(n),
                window: ReplyWindow(
                    signedAt: signedAt, firstReceivedAt: received ?? signedAt, environment: environment),
                arrival: arrival)
        ])
}

func attempt(
    _ result: Attempt.Result?, _ number: Int = 1, status: Int? = nil, endedAt: Moment? = nil
) -> Attempt {
    let started = noon + .seconds(Int64(number))
    return Attempt(
        number: number, startedAt: started, giveUpAt: started + .seconds(35),
        endedAt: result == nil ? nil : endedAt ?? started + .seconds(1), result: result, status: status)
}

extension RefundCase {
    func adding(_ facts: CaseFact...) -> RefundCase {
        var copy = self
        copy.facts.formUnion(facts)
        return copy
    }

    /// The first round changed.
    func changing(_ change: (inout Round) -> Void) -> RefundCase {
        var copy = self
        change(&copy.rounds[0])
        return copy
    }

    func joined(with other: RefundCase) -> RefundCase {
        RefundCase(facts: facts.union(other.facts), rounds: rounds + other.rounds)
    }
}
