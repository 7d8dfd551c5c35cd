import AppStore
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `A case as JSON` {
    @Test func `it has the names of the contract, and the reply to the byte`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            var sample = SampleCase()
            sample.outcome = "refunded"
            sample.deliveries = 6
            try await desk.add(sample, to: desk.alphaApp)
            let records = Records(database: test.database)
            let bytes = try #require(try await records.caseJSON(of: desk.alpha.id, case: sample.id))
            let json = try JSONDocument(bytes).root
            #expect(json["id"]?.string == sample.id.uuidString.lowercased())
            #expect(json["bundleId"]?.string == "com.example.alpha")
            #expect(json["rehearsal"]?.bool == false)
            #expect(json["transactionId"]?.string == "2000000900000001")
            #expect(json["price"]?.int == 9990 && json["currency"]?.string == "USD")
            #expect(json["purchaseDate"]?.int == 1_781_524_800_123)
            #expect(json["deadline"]?.int == 1_781_568_000_123)
            #expect(json["deliveries"]?.int == 6)
            #expect(json["reply"]?["body"]?.stringBytes == SampleDesk.replyBody)
            #expect(json["reply"]?["status"]?.int == 202)
            #expect(json["reply"]?["attempts"]?.elements?.count == 1)
            #expect(json["revocation"]?["type"]?.string == "REFUND_FULL")
            #expect(json["revocation"]?["percentage"]?.int == 100_000)
            let request = try #require(json["requests"]?.elements?.first)
            #expect(request["notificationUUID"]?.string == sample.notification.uuidString.lowercased())
            #expect(request["decision"]?["rule"]?.int == 5)
            #expect(request["decision"]?["refundPreference"]?.string == "GRANT_FULL")
            let kinds = (json["timeline"]?.elements ?? []).map { $0["kind"]?.string }
            #expect(kinds == ["requested", "decided", "sent", "refund"])
            // A token for one app does not reach another's case.
            #expect(try await records.caseJSON(of: desk.alpha.id, case: sample.id, app: desk.alphaLite.id) == nil)
        }
    }

    @Test func `a rehearsal's case is marked, and its environment is what the simulator calls it`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            let rehearsal = try await desk.addRehearsal()
            let sample = SampleCase()
            try await desk.add(sample, to: rehearsal)
            let records = Records(database: test.database)
            let bytes = try #require(try await records.caseJSON(of: desk.alpha.id, case: sample.id))
            let list = try await records.casesJSON(of: desk.alpha.id, app: rehearsal)
            for json in [try JSONDocument(bytes).root, try JSONDocument(list).root["cases"]?.elements?.first] {
                #expect(json?["rehearsal"]?.bool == true && json?["environment"]?.string == "Production")
            }
        }
    }

    @Test func `a page of cases has each with its requests, and the way to the next page`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            for n in 1...3 {
                var sample = SampleCase()
                sample.transactionID = "200000090000000\(n)"
                sample.signedAt = SampleDesk.signed + .seconds(Int64(n))
                sample.state = n == 2 ? "unasked" : "answered"
                try await desk.add(sample, to: desk.alphaApp)
            }
            let records = Records(database: test.database)
            let first = try JSONDocument(
                try await records.casesJSON(of: desk.alpha.id, app: desk.alphaApp, limit: 2)
            ).root
            let cases = first["cases"]?.elements ?? []
            #expect(cases.map { $0["transactionId"]?.string } == ["2000000900000003", "2000000900000002"])
            #expect(cases.map { $0["requests"]?.elements?.count } == [1, 0])
            let cursor = try #require(first["nextCursor"]?.string.flatMap(ListCursor.init(text:)))
            let second = try JSONDocument(
                try await records.casesJSON(of: desk.alpha.id, app: desk.alphaApp, after: cursor, limit: 2)
            ).root
            #expect(second["cases"]?.elements?.count == 1 && second["nextCursor"] == nil)
            #expect(second["cases"]?.elements?.first?["reply"]?["body"]?.stringBytes == SampleDesk.replyBody)
        }
    }

    @Test func `reports of use have their credits and items, in the case and in its bundle`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let (app, now) = (desk.alpha.app, desk.now)
            let found = try await desk.database.transaction(app.tenant.scope) { tx -> CaseStory? in
                try await UsageStore.record(
                    .init(
                        transactionID: "2000000900000001", credits: UsageCount(used: 30, granted: 100),
                        items: UsageCount(used: 1, granted: 4), observedAt: now),
                    tenant: app.tenant, app: app.id, at: now, in: tx)
                guard let row = try await tx.row("select case_id from refunds.cases limit 1") else { return nil }
                return try await CaseQueries.story(of: app.tenant, case: row("case_id"), in: tx)
            }
            let story = try #require(found)
            let json = try JSONDocument(CaseJSON.whole(story)).root
            let use = json["timeline"]?.elements?.first { $0["kind"]?.string == "usage" }
            #expect(use?["creditsUsed"]?.int == 30 && use?["creditsGranted"]?.int == 100)
            #expect(use?["itemsUsed"]?.int == 1 && use?["itemsGranted"]?.int == 4)
            let file = String(decoding: CaseBundle(story, CaseBundle.Parts(), at: now).bytes, as: UTF8.self)
            #expect(file.contains(#""creditsUsed":30,"creditsGranted":100,"itemsUsed":1,"itemsGranted":4"#))
        }
    }
}
