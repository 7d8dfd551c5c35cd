import Foundation
import Loop
import Simulator
import Support
import Testing

/// What a client can take from the real program that sends more than it may.
@Suite(.timeLimit(.minutes(10)))
struct `Bodies that are too large` {
    @Test func `BL-125: a large genuine notification is taken, endless ones are cut off and cost no memory`()
        async throws
    {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            let large = try stage.request { $0.data = ["padding": .string(String(repeating: "x", count: 180_000))] }
            #expect(try await desk.post(large, to: inbox) == 200)

            let address = try #require(SocketAddress(String(desk.address.dropFirst(7))))
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x10000) + Array("\r\n".utf8)
            let before = try Self.residentKilobytes(desk.program.processID)
            for _ in 1...8 {
                let client = try await RawClient.connect(to: address)
                try await client.send("POST \(inbox) HTTP/1.1\r\nHost: desk\r\nTransfer-Encoding: chunked\r\n\r\n")
                // One chunk more than a megabyte.
                for _ in 0...16 { try await client.send(chunk) }
                #expect(try await client.response().status == 413)
                _ = try await client.receiveAll()
                await client.close()
            }
            let announced = try await RawClient.connect(to: address)
            try await announced.send("POST \(inbox) HTTP/1.1\r\nHost: desk\r\nContent-Length: 20000000\r\n\r\n")
            #expect(try await announced.response().status == 413)
            let after = try Self.residentKilobytes(desk.program.processID)
            #expect(after - before < 10 * 1024, "it grew from \(before) to \(after) KiB")
            #expect(try await desk.post(try stage.request(), to: inbox) == 200)
            #expect(await desk.stop() == 0)
        }
    }

    private static func residentKilobytes(_ process: Int32) throws -> Int {
        let words = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        return try #require(words.count > 1 ? Int(words[1]) : nil) * 4
    }
}
