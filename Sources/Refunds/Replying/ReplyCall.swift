import AppStore
import FoundationEssentials
import Tenants

/// The call of a reply.
struct ReplyCall: BegunCall {
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
    var permit: CallPermit

    var tenant: TenantID { app.tenant }
    var lane: Int64 { App.lane(app.id, isSandbox: environment == .sandbox) }
    var name: (kind: String, id: String) { ("case", caseID.text) }
}
