/// Waits until something is so, looking again every few milliseconds; for what sends no signal.
///
/// - Throws: `NeverSo` after `limit`; what `condition` throws.
package func until(
    _ limit: Duration = .seconds(120), _ what: String = "", _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverSo(what: what) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

package struct NeverSo: Error, CustomStringConvertible {
    let what: String
    package var description: String { "waited in vain\(what.isEmpty ? "" : " for: \(what)")" }
}
