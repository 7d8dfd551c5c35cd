package import Tenants
package import Time

/// The way in: a delivery is verified, made durable and handed to the workers, or refused.
package final class Intake: Sendable {
    /// Takes in one delivery. Returns only after its own row is durable, or with the reason why not.
    package func receive(_ body: [UInt8], inbox: Inbox, meta: DeliveryMeta, at now: Moment) async -> IntakeOutcome {
        preconditionFailure("not built yet")
    }
}
