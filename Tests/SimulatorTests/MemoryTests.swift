import Crypto
import Foundation
import HTTP
import Journal
import Loop
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

    @Test func `the root and its key stay from start to start, readable by nobody else`() throws {
        let place = folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let state = StateFolder(path: place.path)
        let now = WallClock.system.now
        let first = try state.authority(at: now, journal: .silent)
        let second = try state.authority(at: now, journal: .silent)
        #expect(first.root.der == second.root.der && first.leaf.der == second.leaf.der)
        let parts = try second.sign(["a": 1]).split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(
            try #require(first.leaf.publicKey).isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        let file = place.appending(path: "authority.json")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try state.authority(at: now + .days(699), journal: .silent).root.der != first.root.der, "the leaf ends")
        try Data("{".utf8).write(to: file)
        #expect(try state.authority(at: now, journal: .silent).root.der != first.root.der)
    }

    @Test func `references, requests and refunds of Advanced Commerce are remembered`() async throws {
        let place = folder()
        defer { try? FileManager.default.removeItem(at: place) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let state = StateFolder(path: place.path)
        let shop = try await Shop()
        let sold = try #require(try shop.subscription().last)
        let decided = Shop.body(.refund)
        let waits = Shop.body(.refund, items: [Shop.item("base")])
        #expect(try await shop.call(.refund, sold.id, decided).status == 200)
        let reference = try #require(decided["requestInfo"]?["requestReferenceId"]?.string)
        #expect(shop.apple.apple.decide(reference, as: .refund))
        #expect(try await shop.call(.refund, sold.id, waits).status == 200)
        await shop.stop()
        try state.remember(shop.apple.apple)

        let second = try await SmallApple.start(Apple.loops)
        state.recall(into: second)
        #expect(second.commerce.refunds == shop.apple.apple.commerce.refunds)
        #expect(second.commerce.requests.map(\.state) == [.refunded, .waiting])
        let repeated = try await Apple.send(
            .post, second.apiURL(.production) + Shop.path(.refund, sold.id),
            authorization: "Bearer \(try shop.apple.token())", body: waits.bytes)
        #expect(repeated.code == 4_000_097)
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
