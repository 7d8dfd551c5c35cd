import Refunds
import Tenants

/// Everything the page about Advanced Commerce shows of one app.
struct CommerceAccessModel: Sendable {
    let app: App
    /// Production first; one, for a rehearsal.
    var access: [CommerceAccess]
    var queues: [CommerceQueue]
    /// Whether purchases or requests are known, or somebody has said something.
    var isUsed: Bool
    var checklist = CommerceChecklist()
    /// Milliunits by currency.
    var limits: [String: Int64] = [:]
    var costs: [SKUCost] = []
    /// The tenant's people.
    var members: [MemberLine] = []

    func queue(of environment: AppEnvironment) -> CommerceQueue? { queues.first { $0.environment == environment } }

    /// Who may approve requests.
    var approvers: [MemberLine] { members.filter { $0.role >= .support } }

    func name(of person: PersonID?) -> String? {
        person.map { id in
            members.first { $0.person.id == id }.map { $0.name ?? $0.person.email } ?? "somebody who is gone"
        }
    }
}
