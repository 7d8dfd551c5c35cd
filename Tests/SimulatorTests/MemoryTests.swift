import Foundation
import HTTP
import Testing
import Time

@testable import Simulator

@Suite struct `What outlives a start` {
    private func folder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "small apple \(UUID().uuidString)")
    }

    @Test func `roots and addresses are left for others, and the roots of the last starts stay`() async throws {
        let place = folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let state = StateFolder(path: place.path)
        var roots: [[UInt8]] = []
        for _ in 0..<2 {
            let apple = try await Apple()
            try state.write(apple.apple)
            roots.append(apple.apple.rootDER)
            let text = try String(contentsOf: place.appending(path: "simulator.json"), encoding: .utf8)
            let addresses = try JSONReader.read(text)
            #expect(addresses["production"]?.string == apple.apple.apiURL(.production))
            #expect(addresses["sandbox"]?.string == apple.apple.apiURL(.sandbox))
            await apple.apple.stop()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: state.rootsPath)
        let kept = try files.map { [UInt8](try Data(contentsOf: URL(filePath: state.rootsPath + "/" + $0))) }
        #expect(Set(kept) == Set(roots))
    }

    @Test func `apps, keys and purchases are remembered, and a waiting request is decided after the new start`()
        async throws
    {
        let place = folder()
        defer { try? FileManager.default.removeItem(at: place) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let state = StateFolder(path: place.path)
        let receiver = try await Receiver()
        let first = try await Apple()
        var app = try #require(first.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url]
        first.apple.register(app)
        let bought = try first.apple.purchase(Apple.bundleID, productType: "Auto-Renewable Subscription")
        var order = NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID, transactionID: bought.id)
        order.decides = true
        try first.apple.write(order)
        #expect(try await first.consume(bought).status == 202)
        await first.apple.stop()
        try state.remember(first.apple)

        var settings = SmallApple.Settings()
        settings.manners = .calm
        settings.pace.decision = 0...0
        let second = try await SmallApple.start(loops: Apple.loops, settings: settings)
        state.recall(into: second)
        let token = try first.token()
        let url = second.apiURL(.production) + "/inApps/v1/transactions/\(bought.id)"
        #expect(try await Apple.send(.get, url, authorization: "Bearer \(token)", body: nil).status == 200)
        // Perhaps it is refunded already: what was bought stays what it was.
        let kept = try #require(second.shelves.transaction(bought.id, in: .production))
        for member in bought.payload.members { #expect(kept.payload[member.name] == member.value, "\(member.name)") }
        #expect(second.shelves.transaction(bought.id, in: .production)?.renewal == bought.renewal)
        _ = try await receiver.wait(for: 1)
        #expect(second.shelves.notifications.last?.type == "REFUND")
        await second.stop()
    }

    @Test func `a memory that cannot be read is not used`() async throws {
        let place = folder()
        defer { try? FileManager.default.removeItem(at: place) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for text in ["{", "[]", #"{"apps":[{"bundleId":"a"}],"keys":[],"purchases":[]}"#] {
            try Data(text.utf8).write(to: place.appending(path: "memory.json"))
            let apple = try await SmallApple.start(Apple.loops)
            StateFolder(path: place.path).recall(into: apple)
            #expect(apple.shelves.apps.isEmpty)
            await apple.stop()
        }
    }
}
