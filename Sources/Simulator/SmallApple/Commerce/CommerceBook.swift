import Synchronization
import Time

/// The memory of the Advanced Commerce calls: switches, references, requests and the ledger of refunds.
package final class CommerceBook: Sendable {
    private struct Place: Hashable {
        let environment: StoreEnvironment
        let id: String
    }

    private struct Reference {
        let digest: [UInt8]
        /// The place of the request in `requests`, or the refusal.
        let outcome: Result<Int, AppleError>
        var isAnswered = false
    }

    private struct State {
        var settings = CommerceSettings()
        var standings: [Place: CommerceStanding] = [:]
        var refusals: [Place: Int64] = [:]
        var references: [Place: Reference] = [:]
        var requests: [CommerceRequest] = []
        /// The place of the request that waits, by transaction.
        var waiting: [Place: Int] = [:]
        /// How many requests were accepted, by transaction.
        var accepted: [Place: Int] = [:]
        var refunds: [CommerceRefund] = []
    }

    /// What is known of a transaction while a call is looked at.
    struct Look {
        /// A request of ours for it waits for a decision.
        let isWaiting: Bool
        /// The number with which every request for it is refused.
        let refusal: Int64?
    }

    /// How a call with a well-formed reference was taken.
    enum Admission {
        case accepted(CommerceRequest)
        /// The same call came again: nothing happens anew.
        case again(CommerceRequest)
        case refused(AppleError)
        /// The reference belongs to another call, or to one that was answered.
        case repeated
    }

    package let addendum = CommerceAddendum()
    package let meter = CommerceMeter()
    private let state = Mutex(State())

    package init() {}

    // MARK: Switches

    package var settings: CommerceSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    package func standing(_ bundleID: String, in environment: StoreEnvironment) -> CommerceStanding {
        state.withLock { $0.standings[Place(environment: environment, id: bundleID)] ?? CommerceStanding() }
    }

    package func set(_ standing: CommerceStanding, of bundleID: String, in environment: StoreEnvironment) {
        state.withLock { $0.standings[Place(environment: environment, id: bundleID)] = standing }
    }

    /// - Parameter code: the number with which every request for the purchase is refused, such as 4030024.
    package func refuse(_ transactionID: String, in environment: StoreEnvironment, with code: Int64?) {
        state.withLock { $0.refusals[Place(environment: environment, id: transactionID)] = code }
    }

    // MARK: Calls

    /// Takes a call, in one step with all others: a reference is known or not, and the rules are looked at while
    /// nobody else asks.
    ///
    /// - Parameters:
    ///   - digest: of the call's kind, path and body: the same call has the same one.
    ///   - rules: told what is known of a transaction; makes the request or refuses it. It must not ask the book,
    ///     which is held meanwhile.
    func admit(
        _ reference: String, digest: [UInt8], in environment: StoreEnvironment,
        rules: (_ look: (String) -> Look) -> Result<CommerceRequest, AppleError>
    ) -> Admission {
        state.withLock { state in
            let place = Place(environment: environment, id: reference)
            if let known = state.references[place] {
                let isSame =
                    switch state.settings.repeats {
                    case .untilAnswered: known.digest == digest && !known.isAnswered
                    case .same: known.digest == digest
                    case .refused: false
                    }
                // The list of errors of a cancellation lacks 4000097: the same one again is the same one.
                let isSameCancellation =
                    if known.digest == digest, case .success(let index) = known.outcome {
                        state.requests[index].kind == .cancel
                    } else {
                        false
                    }
                guard isSame || isSameCancellation else { return .repeated }
                switch known.outcome {
                case .failure(let error): return .refused(error)
                case .success(let index):
                    state.requests[index].repeats += 1
                    return .again(state.requests[index])
                }
            }
            let (waiting, refusals) = (state.waiting, state.refusals)
            let look = { (id: String) in
                let place = Place(environment: environment, id: id)
                return Look(isWaiting: waiting[place] != nil, refusal: refusals[place])
            }
            switch rules(look) {
            case .failure(let error):
                state.references[place] = Reference(digest: digest, outcome: .failure(error))
                return .refused(error)
            case .success(var request):
                let transaction = Place(environment: environment, id: request.transactionID)
                request.earlier = state.accepted[transaction] ?? 0
                state.accepted[transaction] = request.earlier + 1
                let index = state.requests.count
                state.requests.append(request)
                state.references[place] = Reference(digest: digest, outcome: .success(index))
                if request.state == .waiting {
                    state.waiting[transaction] = index
                }
                return .accepted(request)
            }
        }
    }

    /// The answer to a call was sent: its reference is used up.
    func answered(_ reference: String, in environment: StoreEnvironment) {
        state.withLock { $0.references[Place(environment: environment, id: reference)]?.isAnswered = true }
    }

    // MARK: Requests and refunds

    package var requests: [CommerceRequest] { state.withLock { $0.requests } }

    /// Every refund of every item that these calls brought about, oldest first.
    package var refunds: [CommerceRefund] { state.withLock { $0.refunds } }

    package func request(_ reference: String, in environment: StoreEnvironment) -> CommerceRequest? {
        state.withLock { state in
            guard case .success(let index)? = state.references[Place(environment: environment, id: reference)]?.outcome
            else { return nil }
            return state.requests[index]
        }
    }

    /// The request that waits for a decision about a transaction.
    func waiting(for transactionID: String, in environment: StoreEnvironment) -> CommerceRequest? {
        state.withLock { state in
            state.waiting[Place(environment: environment, id: transactionID)].map { state.requests[$0] }
        }
    }

    func consumptionAsked(for request: CommerceRequest, at moment: Moment) {
        state.withLock { state in
            if let index = state.waiting[Place(environment: request.environment, id: request.transactionID)] {
                state.requests[index].consumptionAskedAt = moment
            }
        }
    }

    /// Ends the waiting of a request, once: whoever comes second gets false.
    func close(_ request: CommerceRequest, as ended: CommerceRequest.State, at moment: Moment) -> Bool {
        state.withLock { state in
            let place = Place(environment: request.environment, id: request.transactionID)
            guard let index = state.waiting[place],
                state.requests[index].requestReferenceID == request.requestReferenceID
            else { return false }
            state.waiting[place] = nil
            state.requests[index].state = ended
            state.requests[index].decidedAt = moment
            return true
        }
    }

    func book(_ refunds: [CommerceRefund]) { state.withLock { $0.refunds += refunds } }

    // MARK: What outlives a start

    struct KeptReference {
        let id: String
        let environment: StoreEnvironment
        let digest: [UInt8]
        let outcome: Result<Int, AppleError>
        let isAnswered: Bool
    }

    var parts: (references: [KeptReference], requests: [CommerceRequest], refunds: [CommerceRefund]) {
        state.withLock { state in
            let references = state.references.map { place, reference in
                KeptReference(
                    id: place.id, environment: place.environment, digest: reference.digest,
                    outcome: reference.outcome, isAnswered: reference.isAnswered)
            }
            return (references.sorted { $0.id < $1.id }, state.requests, state.refunds)
        }
    }

    func take(_ references: [KeptReference], _ requests: [CommerceRequest], _ refunds: [CommerceRefund]) {
        state.withLock { state in
            state.requests = requests
            state.refunds = refunds
            state.references = [:]
            for kept in references {
                state.references[Place(environment: kept.environment, id: kept.id)] = Reference(
                    digest: kept.digest, outcome: kept.outcome, isAnswered: kept.isAnswered)
            }
            state.waiting = [:]
            state.accepted = [:]
            for (index, request) in requests.enumerated() {
                let transaction = Place(environment: request.environment, id: request.transactionID)
                state.requests[index].earlier = state.accepted[transaction] ?? 0
                state.accepted[transaction, default: 0] += 1
                if request.state == .waiting { state.waiting[transaction] = index }
            }
        }
    }
}
