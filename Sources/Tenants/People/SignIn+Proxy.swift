import FoundationEssentials
import Postgres
import Time

extension SignIn {
    /// Signs in whom a trusted proxy names; nil where nobody has this address. Who the proxy is, and whether it may be
    /// believed, is for the caller to know.
    ///
    /// Second factors are the proxy's to ask for.
    package func withProxy(email: String, from arrival: Arrival) async throws -> NewSession? {
        let now = clock.now
        return try await database.transaction(.house) { tx in
            guard let person = try await PersonStore.find(email: email, in: tx) else { return nil }
            return try await self.start(person.id, by: .proxy, from: arrival, at: now, in: tx)
        }
    }
}
