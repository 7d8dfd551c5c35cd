package import FoundationEssentials
import Postgres
package import Tenants
package import Time

extension Records {
    // MARK: Commerce requests

    /// Requests of the named apps, newest first.
    ///
    /// - Parameter limit: 1…100.
    package func commerceRequests(
        of tenant: TenantID, apps: [AppID], filter: CommerceFilter = CommerceFilter(), after: ListCursor? = nil,
        limit: Int = 50
    ) async throws -> CommercePage { throw CommerceRefused.notNow("") }

    /// Nil where the tenant has none of this id, or the token reaches another app only.
    package func commerceRequest(
        of tenant: TenantID, id: UUID, app: AppID? = nil
    ) async throws -> CommerceRequest? { throw CommerceRefused.notNow("") }

    /// The requests about a case's transaction, newest first; at most 20.
    package func commerceRequests(of tenant: TenantID, case id: UUID) async throws -> [CommerceRequest] {
        throw CommerceRefused.notNow("")
    }

    /// What stands between the app and Advanced Commerce, Production first; only environments that the app has.
    package func commerceAccess(of app: App) async throws -> [CommerceAccess] { throw CommerceRefused.notNow("") }

    package func commerceChecklist(of app: App) async throws -> CommerceChecklist {
        throw CommerceRefused.notNow("")
    }

    /// How the queues of an app stand at a moment.
    package func commerceQueues(of app: App, at now: Moment) async throws -> [CommerceQueue] {
        throw CommerceRefused.notNow("")
    }

    /// Milliunits by currency.
    package func approvalLimits(of app: App) async throws -> [String: Int64] { throw CommerceRefused.notNow("") }

    package func skuCosts(of app: App) async throws -> [SKUCost] { throw CommerceRefused.notNow("") }

    /// What was asked and sold, month by month, newest first.
    package func commerceRegister(
        of tenant: TenantID, apps: [AppID], from: Moment, to: Moment
    ) async throws -> [CommerceRegisterLine] { throw CommerceRefused.notNow("") }

    /// The register's requests as CSV, at most `limit` of them, oldest first, from a cursor on.
    package func commerceCSV(
        of tenant: TenantID, apps: [AppID], from: Moment, to: Moment, after: ListCursor? = nil, limit: Int = 1000
    ) async throws -> (rows: String, next: ListCursor?) { throw CommerceRefused.notNow("") }
}
