import Support
import Synchronization
import Testing

/// One program for a whole suite: starting it costs more than most of the tests.
struct ServedProduct: SuiteTrait, TestScoping {
    @TaskLocal static var current: DeskUnderFaults?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let orders = Orders()
        try await Product.serve(
            production: { request, _ in orders.step(request) }, sandbox: { request, _ in orders.step(request) }
        ) { product in
            let desk = DeskUnderFaults(
                product: product, orders: orders,
                alpha: try await product.addApp("alpha", bundleID: "com.example.alpha", appleID: 6_450_000_001),
                beta: try await product.addApp(
                    "beta", bundleID: "com.example.beta", appleID: 6_450_000_002, consent: .perCustomer),
                gamma: try await product.addApp("gamma", bundleID: "com.example.gamma", appleID: 6_450_000_003))
            try await Self.$current.withValue(desk) { try await function() }
        }
    }
}

extension Trait where Self == ServedProduct {
    static var servedProduct: Self { ServedProduct() }
}

/// What Apple does with the replies about each transaction: the steps in order, the last one again and again;
/// 202 where nothing was ordered. It has no records of anybody.
final class Orders: Sendable {
    private let steps = Mutex<[String: [ScriptedServer.Step]]>([:])

    /// From now on.
    func give(_ transactionID: String, _ orders: ScriptedServer.Step...) {
        steps.withLock { $0[transactionID] = orders }
    }

    func step(_ request: ScriptedServer.Received) -> ScriptedServer.Step {
        guard request.target.contains("/consumption/") else { return .answer(404) }
        let id = request.target.split(separator: "/").last.map(String.init) ?? ""
        return steps.withLock { steps in
            guard var left = steps[id], let step = left.first else { return .answer(202) }
            if left.count > 1 {
                left.removeFirst()
                steps[id] = left
            }
            return step
        }
    }
}

/// A served product with three tenants: one whose customers all agreed, one that asks each, and one whose
/// key is refused.
struct DeskUnderFaults: Sendable {
    let product: Product
    let orders: Orders
    let alpha: Product.AppAtDesk
    let beta: Product.AppAtDesk
    let gamma: Product.AppAtDesk

    /// The one of this suite.
    static func open() throws -> DeskUnderFaults { try #require(ServedProduct.current) }
}
