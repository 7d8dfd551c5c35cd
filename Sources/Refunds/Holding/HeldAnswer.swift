import AppStore
package import FoundationEssentials
import Tenants
package import Time

/// What a person decided about a request that waited for them. Said once, on a page or through the tenant's own server.
package struct HeldAnswer: Sendable, Hashable, Codable {
    package enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
        /// The facts, without a preference.
        case factsOnly = "facts-only"
        /// Nothing is sent.
        case nothing

        var action: PolicyAction {
            switch self {
            case .decline: .prefer(.decline)
            case .grantFull: .prefer(.grantFull)
            case .grantProrated: .prefer(.grantProrated)
            case .factsOnly: .factsOnly
            case .nothing: .withhold(.policy)
            }
        }
    }

    /// What may be said of the delivery, in Apple's words.
    package static let deliveries = DeliveryStatus.allCases.map(\.rawValue)

    package var choice: Choice
    /// What the person knows of the delivery; nil: what was reported stays.
    package var deliveryStatus: String?
    /// Thousandths of a percent, 0…100,000; nil: what was reported stays.
    package var consumptionPercentage: Int?
    /// Why; never empty.
    package var reason: String
    /// Nil: the tenant's own server said so for somebody.
    package var person: UUID?
    /// The API token that it came by.
    package var token: UUID?
    /// The person's name as it was then.
    package var name: String
    /// Milliseconds since 1970.
    package var at: Int64
    /// When a person was asked, in milliseconds since 1970; nil where that was not kept.
    package var askedAt: Int64?

    package init(
        choice: Choice, deliveryStatus: String? = nil, consumptionPercentage: Int? = nil, reason: String,
        person: UUID, name: String, at: Moment
    ) {
        self.choice = choice
        self.deliveryStatus = deliveryStatus
        self.consumptionPercentage = consumptionPercentage
        self.reason = reason
        self.person = person
        self.name = name
        self.at = at.milliseconds
    }

    /// What the tenant's own server says that somebody decided.
    package init(
        choice: Choice, deliveryStatus: String? = nil, consumptionPercentage: Int? = nil, reason: String,
        token: UUID, name: String, at: Moment
    ) {
        self.choice = choice
        self.deliveryStatus = deliveryStatus
        self.consumptionPercentage = consumptionPercentage
        self.reason = reason
        self.token = token
        self.name = name
        self.at = at.milliseconds
    }

    /// Whom the audit log names; nil for what nobody said.
    var actor: AuditEntry.Actor? { person.map { .person(PersonID(rawValue: $0)) } ?? token.map { .token($0) } }

    package var moment: Moment { Moment(milliseconds: at) }

    init?(json: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = read
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// What is known when what the person knows is added.
    func adding(to facts: PurchaseFacts) -> PurchaseFacts {
        var facts = facts
        let source = EvidenceSource.person(name: name, at: moment)
        if let status = deliveryStatus.flatMap(DeliveryStatus.init) { facts.delivery = Evidence(status, source) }
        if let share = consumptionPercentage { facts.share = Evidence(share, source) }
        return facts
    }

    /// The decision that it makes of the policy's. What forbids an answer before any rule is asked forbids it still.
    func deciding(_ asked: Decision) -> Decision {
        guard asked.row != nil || asked.override != nil else { return asked }
        var decision = Decision(
            choice.action, row: asked.row, situation: asked.situation, saw: asked.saw, remarks: asked.remarks)
        decision.policyVersion = asked.policyVersion
        decision.override = asked.override
        decision.remarks.insert("Decided by \(name): \(reason)", at: 0)
        return decision
    }
}
