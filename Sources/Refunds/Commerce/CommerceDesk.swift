import AppStore
package import FoundationEssentials
import Journal
import Postgres
import Queue
package import Tenants
import Time

/// Where commerce requests are made: by people and by the tenants' own servers.
package final class CommerceDesk: Sendable {
    /// What is known of a purchase: ours, else Apple's word.
    ///
    /// - Throws: `CommerceRefused.noSuchTransaction`, `.notNow`.
    package func look(
        app: App, environment: AppEnvironment, transactionID: String
    ) async throws -> CommercePurchase { throw CommerceRefused.notNow("") }

    /// Makes a request, once for each key.
    ///
    /// - Parameters:
    ///   - idempotencyKey: the caller's; the same key for the same intention gives the same request.
    ///   - acceptsWarnings: whoever asks has seen them.
    ///   - asDraft: written down and not handed in.
    /// - Returns: the request, and whether it is new.
    /// - Throws: `CommerceRefused`
    package func ask(
        _ intention: CommerceIntention, app: App, by actor: CommerceActor, idempotencyKey: String,
        acceptsWarnings: Bool = false, asDraft: Bool = false
    ) async throws -> (request: CommerceRequest, isNew: Bool) { throw CommerceRefused.notNow("") }

    /// Hands a draft in.
    package func submit(
        _ request: UUID, of tenant: TenantID, by actor: CommerceActor, acceptsWarnings: Bool = false
    ) async throws -> CommerceRequest { throw CommerceRefused.notNow("") }

    /// A second person agrees.
    package func approve(
        _ request: UUID, of tenant: TenantID, by actor: CommerceActor
    ) async throws -> CommerceRequest { throw CommerceRefused.notNow("") }

    /// Takes a request back of which Apple cannot know.
    package func cancel(
        _ request: UUID, of tenant: TenantID, by actor: CommerceActor
    ) async throws -> CommerceRequest { throw CommerceRefused.notNow("") }

    /// Lets the stopped queue of an app and environment go on.
    package func release(
        app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess { throw CommerceRefused.notNow("") }

    /// Makes one harmless call: a cancellation of a transaction that cannot exist. Apple's 404 shows that the door
    /// is open.
    package func checkAddendum(
        app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess { throw CommerceRefused.notNow("") }

    /// A person says as what Apple approved the app; nil: it is not.
    package func setApproval(
        _ approval: CommerceAccess.Approval?, app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess { throw CommerceRefused.notNow("") }

    /// A person says that the addendum is accepted, which version and when (`2026-03-01`).
    package func setAddendum(
        version: String, on day: String, app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess { throw CommerceRefused.notNow("") }

    /// The limit above which a second person approves; nil takes it away.
    package func setLimit(
        _ milliunits: Int64?, currency: String, app: App, by actor: CommerceActor
    ) async throws { throw CommerceRefused.notNow("") }

    package func setCost(_ cost: SKUCost, app: App, by actor: CommerceActor) async throws {
        throw CommerceRefused.notNow("")
    }

    package func removeCost(
        sku: String, kind: SKUCost.Kind, app: App, by actor: CommerceActor
    ) async throws { throw CommerceRefused.notNow("") }

    package func setChecklist(
        refundPath: String?, approvalsOwner: PersonID?, app: App, by actor: CommerceActor
    ) async throws { throw CommerceRefused.notNow("") }
}
