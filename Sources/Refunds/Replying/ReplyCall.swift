import AppStore
import FoundationEssentials
import Tenants
import Time

/// One call that was begun: its rows are committed, and until `sendBy` it may be handed to the network.
struct ReplyCall: Sendable {
    let tenant: TenantID
    let app: App
    let caseID: UUID
    let round: UUID
    let attempt: Int
    let window: ReplyWindow
    let version: AppStoreServerAPI.ConsumptionVersion
    let transactionID: String
    let environment: Environment
    /// The same bytes in every call of the round.
    let body: [UInt8]
    let key: SigningKeyInfo
    /// The permit's moment: not before it.
    var sendAfter: ContinuousClock.Instant
    /// Counted from the permit, on a clock that runs while the machine sleeps: a frozen or restored
    /// machine finds its permission expired.
    var sendBy: ContinuousClock.Instant
    /// After it nobody expects the result any more: it counts as unknown.
    let giveUp: ContinuousClock.Instant

    static let permission: Duration = .seconds(5)
    /// The client's total time-out, and some for settling.
    static let callTotal: Duration = .seconds(20)
    static let settleAllowance: Duration = .seconds(10)
}
