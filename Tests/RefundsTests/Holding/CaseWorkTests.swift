import AppStore
import Crypto
import Foundation
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Work on cases by people") struct CaseWorkTests {
    /// A case of alpha's that was answered, and a member of alpha's.
    private func worked(_ body: (Desk, UUID, PersonID) async throws -> Void) async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.usage(.delivered, share: 100_000)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let id: UUID = try await desk.test.asSuperuser("select case_id from refunds.cases")[0]("case_id")
            try await body(desk, id, try await desk.member("ada@example.com"))
        }
    }

    @Test func `a note stays as it was written, with its author, and the log does not have its text`() async throws {
        try await worked { desk, id, ada in
            let tenant = desk.alpha.app.tenant
            let text = "Spoke with them.\nThey \"insist\"; <b>no</b>."
            #expect(
                try await desk.deciding.note(
                    "  \(text)\n ", on: id, of: tenant, by: ada, role: .support, address: "192.0.2.7"))
            let story = try #require(try await desk.reading.story(of: tenant, case: id))
            let remark = try #require(story.remarks.last)
            #expect(CaseNote.text(of: remark) == text && remark.person == ada.rawValue && remark.at == desk.now)
            let rows = try await desk.test.asSuperuser(
                "select detail, address from tenants.audit where action = 'case.noted'")
            #expect(try rows.map { String(decoding: try $0("detail") as [UInt8], as: UTF8.self) } == ["{}"])
            #expect(try rows.map { try $0("address") as String? } == ["192.0.2.7"])
            await #expect(throws: PostgresError.self) {
                _ = try await desk.database.transaction(tenant.scope) { tx in
                    try await tx.execute("update refunds.case_notes set detail = '{}'")
                }
            }
        }
    }

    @Test(arguments: [
        ("", "Write"), (" \n", "Write"), ("\u{200B}\u{200D} \u{2060}\u{FEFF}", "Write"),
        (String(repeating: "é", count: 2001), "at most 4,000 bytes"),
        ("a\u{1B}[2Jb", "control character"), ("a\u{202E}b", "direction of writing"),
        ("a\u{2066}b", "direction of writing"),
    ])
    func `a note that is empty, too long or not plain is not taken`(text: String, why: String) async throws {
        try await worked { desk, id, ada in
            do {
                _ = try await desk.deciding.note(
                    text, on: id, of: desk.alpha.app.tenant, by: ada, role: .support, address: nil)
                Issue.record("it was taken")
            } catch DecidingDesk.Refused.field(let name, let said) {
                #expect(name == "note" && said.contains(why))
            }
            #expect(try await desk.count("refunds.case_notes") == 0)
        }
    }

    @Test func `a note that is sent again at once is one note; another's, another text and a later one are more`()
        async throws
    {
        try await worked { desk, id, ada in
            let tenant = desk.alpha.app.tenant
            let bo = try await desk.member("bo@example.com")
            func write(_ text: String, by person: PersonID) async throws -> Int64 {
                let isThere = try await desk.deciding.note(
                    text, on: id, of: tenant, by: person, role: .support, address: nil)
                #expect(isThere)
                return try await desk.count("refunds.case_notes where kind = 'note'")
            }
            for _ in 1...3 { #expect(try await write("Called.", by: ada) == 1) }
            #expect(try await desk.count("tenants.audit where action = 'case.noted'") == 1)
            #expect(try await write("Called.", by: bo) == 2)
            #expect(try await write("Called again.", by: ada) == 3)
            desk.clock.advance(by: .minutes(2))
            #expect(try await write("Called.", by: ada) == 4)
        }
    }

    @Test func `a case is given to a member and to nobody else, once`() async throws {
        try await worked { desk, id, ada in
            let (tenant, deciding) = (desk.alpha.app.tenant, desk.deciding)
            for _ in 1...2 {
                #expect(
                    try await deciding.assign(id, of: tenant, to: ada, by: ada, role: .support, address: nil))
            }
            #expect(try await desk.count("tenants.audit where action = 'case.assigned'") == 1)
            let stranger = try await desk.member("eve@example.com", of: desk.beta.app.tenant)
            await #expect(throws: DecidingDesk.Refused.self) {
                _ = try await deciding.assign(id, of: tenant, to: stranger, by: ada, role: .admin, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                _ = try await deciding.assign(id, of: tenant, to: nil, by: ada, role: .viewer, address: nil)
            }
            let foreign = try await deciding.assign(
                id, of: desk.beta.app.tenant, to: stranger, by: stranger, role: .owner, address: nil)
            #expect(!foreign)
            var mine = CaseFilter()
            mine.assignment = .person(ada.rawValue)
            let apps = [desk.alpha.app.id]
            #expect(try await desk.reading.cases(of: tenant, apps: apps, filter: mine).cases.map(\.id) == [id])
            mine.assignment = .nobody
            #expect(try await desk.reading.cases(of: tenant, apps: apps, filter: mine).cases.isEmpty)
            let story = try #require(try await desk.reading.story(of: tenant, case: id))
            #expect(story.remarks.compactMap { CaseAssignment($0)?.to } == [ada.rawValue])
        }
    }

    @Test func `whoever leaves the tenant leaves their cases to nobody`() async throws {
        try await worked { desk, id, ada in
            let tenant = desk.alpha.app.tenant
            _ = try await desk.deciding.assign(id, of: tenant, to: ada, by: ada, role: .support, address: nil)
            _ = try await desk.database.transaction(.house) { tx in
                try await tx.execute(
                    "delete from tenants.members where tenant_id = \(tenant.rawValue) and person_id = \(ada.rawValue)")
            }
            var filter = CaseFilter()
            filter.assignment = .nobody
            let left = try await desk.reading.cases(of: tenant, apps: [desk.alpha.app.id], filter: filter)
            #expect(left.cases.map(\.id) == [id])
            // However a membership ends, the case tells it.
            let story = try #require(try await desk.reading.story(of: tenant, case: id))
            #expect(story.remarks.compactMap { CaseAssignment($0) }.last?.left == true)
        }
    }

    @Test func `that a case fell to nobody is a step of its story`() async throws {
        try await worked { desk, id, ada in
            let tenant = desk.alpha.app.tenant
            _ = try await desk.deciding.assign(id, of: tenant, to: ada, by: ada, role: .support, address: nil)
            let now = desk.now
            try await desk.database.transaction(.house) { tx in
                let whole = try #require(try await TenantStore.tenant(tenant, in: tx))
                let person = try await PersonStore.findOrAdd(email: "ada@example.com", at: now, in: tx)
                try await PersonStore.removeMember(person, of: whole, at: now, by: .commandLine, in: tx)
            }
            let story = try #require(try await desk.reading.story(of: tenant, case: id))
            let steps = story.remarks.compactMap { CaseAssignment($0) }
            #expect(steps.map(\.to) == [ada.rawValue, nil] && steps.map(\.left) == [nil, true])
            #expect(story.line.assignee == nil)
        }
    }

    @Test func `what waits can be narrowed to one's own and to nobody's`() async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise ask a person, else send facts only")
            try await desk.consent()
            for n in 1...3 {
                try await desk.take(
                    desk.note(
                        "CONSUMPTION_REQUEST",
                        desk.tx {
                            $0["transactionId"] = .text("200000090000000\(n)")
                            $0["originalTransactionId"] = .text("200000090000000\(n)")
                        }))
            }
            let tenant = desk.alpha.app.tenant
            let all = try await desk.deciding.held(of: tenant)
            #expect(all.count == 3)
            let ada = try await desk.member("ada@example.com")
            _ = try await desk.deciding.assign(all[1].id, of: tenant, to: ada, by: ada, role: .support, address: nil)
            #expect(
                try await desk.deciding.held(of: tenant, assignment: .person(ada.rawValue)).map(\.id) == [all[1].id])
            #expect(
                try await desk.deciding.held(of: tenant, assignment: .nobody).map(\.id) == [all[0].id, all[2].id])
            let standing = try await desk.database.transaction(.house) { tx in try await WatchStore.standing(in: tx) }
            #expect(standing.held == 3)
        }
    }

    @Test func `answers by hand, by the tenant's server and by nobody are counted apart`() async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise ask a person, else send facts only")
            try await desk.consent()
            let tenant = desk.alpha.app.tenant
            for n in 1...3 {
                try await desk.take(
                    desk.note(
                        "CONSUMPTION_REQUEST",
                        desk.tx {
                            $0["transactionId"] = .text("200000090000000\(n)")
                            $0["originalTransactionId"] = .text("200000090000000\(n)")
                        }))
            }
            let held = try await desk.deciding.held(of: tenant)
            let person = HeldAnswer(
                choice: .decline, reason: "Spoke.", person: UUID(), name: "ada@example.com", at: desk.now)
            let server = HeldAnswer(choice: .nothing, reason: "Spoke.", token: UUID(), name: "our desk", at: desk.now)
            try await desk.deciding.answer(held[0].id, of: tenant, person, role: .support, address: nil)
            try await desk.deciding.answer(held[1].id, of: tenant, server, role: .support, address: nil)
            try await desk.work()
            desk.clock.advance(by: .hours(11) + .minutes(40))
            try await desk.work()
            for by in ["person", "api", "nobody"] {
                #expect(desk.test.counters.value("held_cases_decided_total", ["by": by]) == 1, "\(by)")
            }
            #expect(try await desk.count("tenants.audit where action = 'case.answered' and token_id is not null") == 1)
        }
    }

    // MARK: The bundle

    private func bundle(_ desk: Desk, _ id: UUID, _ ada: PersonID) async throws -> CaseBundle {
        try #require(
            try await desk.deciding.bundle(
                of: id, tenant: desk.alpha.app.tenant, by: ada, role: .support, address: nil))
    }

    /// The command of docs/cases.md.
    private func verify(_ bytes: [UInt8], _ desk: Desk, _ more: [String] = []) async throws -> OutsideProgram.Outcome {
        let file = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID().uuidString).tar")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let root = Hex.encode(Digest.sha256(desk.chain.root.der))
        return try await OutsideProgram.run(
            "/usr/bin/env",
            ["python3", Checkout.path("ops/verify-bundle"), file.path, "--root-sha256", root] + more,
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"])
    }

    @Test func `the file of a case is verified by the documented command, and its digest stands in the log`()
        async throws
    {
        try await worked { desk, id, ada in
            try await desk.take(desk.note("REFUND_DECLINED", desk.tx()))
            let bundle = try await bundle(desk, id, ada)
            #expect(bundle.fileName == "case-\(id.text).tar")
            let good = try await verify(bundle.bytes, desk, ["--sha256", bundle.fingerprint])
            #expect(good.status == 0, "\(good)")
            #expect(good.output.contains("2 signed originals") && good.output.contains("ok    REFUND_DECLINED"))
            let row = try #require(
                try await desk.test.asSuperuser("select detail from tenants.audit where action = 'case.bundled'").first)
            #expect(String(decoding: try row("detail") as [UInt8], as: UTF8.self).contains(bundle.fingerprint))
            // What was sent is in it to the byte.
            let body = try #require(desk.apple.calls.first?.body)
            #expect(bundle.bytes.firstRange(of: Array(body.utf8)) != nil)
        }
    }

    @Test func `a spoiled file does not pass`() async throws {
        try await worked { desk, id, ada in
            let bundle = try await bundle(desk, id, ada)
            // What we sent, changed by a letter; Apple's signature, by one; all of it, under another root.
            var said = bundle.bytes
            let sent = try #require(said.firstRange(of: Array("\"refundPreference\":\"DECLINE\"".utf8)))
            said[sent.lowerBound] ^= 1
            let changed = try await verify(said, desk)
            #expect(changed.status == 1 && changed.output.contains("was changed"), "\(changed)")
            var forged = bundle.bytes
            let dots = forged.indices.filter { forged[$0] == UInt8(ascii: ".") }
            let signature = try #require(
                dots.last { dot in dot + 80 < forged.count && forged[(dot + 1)..<(dot + 80)].allSatisfy { $0 > 0x2C } })
            forged[signature + 10] = forged[signature + 10] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let bad = try await verify(forged, desk)
            #expect(bad.status == 1 && bad.output.contains("FAIL"), "\(bad)")
            let stranger = try await verify(bundle.bytes, desk, ["--root-sha256", String(repeating: "0", count: 64)])
            #expect(stranger.status == 1 && stranger.output.contains("its root is not the one that is trusted"))
            let other = try await verify(bundle.bytes, desk, ["--sha256", String(repeating: "0", count: 64)])
            #expect(other.status == 1 && other.output.contains("the file's digest is \(bundle.fingerprint)"))
        }
    }

    /// The file without its originals, its sums made to fit: as somebody would write it who hides them.
    private func withoutOriginals(_ bytes: [UInt8], at now: Moment) throws -> [UInt8] {
        var tar = TarFile(at: now)
        var rest = bytes[...]
        while let first = rest.first, first != 0 {
            let name = String(decoding: rest.prefix(100).prefix { $0 != 0 }, as: UTF8.self)
            let digits = String(decoding: rest.dropFirst(124).prefix(11), as: UTF8.self)
            let size = try #require(Int(digits, radix: 8))
            var content = Array(rest.dropFirst(512).prefix(size))
            rest = rest.dropFirst(512 + (size + 511) / 512 * 512)
            if name.hasSuffix(".jws") { continue }
            if name == "SHA256SUMS" {
                let lines = String(decoding: content, as: UTF8.self).split(separator: "\n")
                content = Array(lines.filter { !$0.hasSuffix(".jws") }.map { "\($0)\n" }.joined().utf8)
            }
            tar.add(name, content)
        }
        return tar.ended
    }

    @Test func `originals that were taken out are missed, and no file at all is said in a line`() async throws {
        try await worked { desk, id, ada in
            let bundle = try await bundle(desk, id, ada)
            let whole = try await verify(bundle.bytes, desk)
            #expect(whole.status == 0 && whole.output.contains("only the digest"), "\(whole)")
            let spoiled = try await verify(try withoutOriginals(bundle.bytes, at: desk.now), desk)
            #expect(spoiled.status == 1 && spoiled.output.contains("was taken out"), "\(spoiled)")
            #expect(spoiled.output.contains("0 signed originals of 1 that it names"), "\(spoiled)")
            let none = try await OutsideProgram.run(
                "/usr/bin/env", ["python3", Checkout.path("ops/verify-bundle"), "/nowhere/at-all.tar"],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"])
            #expect(none.status == 2 && none.error.split(separator: "\n").count == 1, "\(none)")
        }
    }

    @Test func `a file of a name that is there already, or behind the end, does not pass, and rubbish is no bundle`()
        async throws
    {
        try await worked { desk, id, ada in
            let bundle = try await bundle(desk, id, ada)
            var second = TarFile(at: desk.now)
            second.add("case.json", Array("{}".utf8))
            // Before the two empty blocks with which an archive ends, and behind them.
            let end = bundle.bytes.count - bundle.bytes.reversed().prefix { $0 == 0 }.count
            let head = Array(bundle.bytes[..<((end + 511) / 512 * 512)])
            let twice = try await verify(head + second.ended, desk)
            #expect(twice.status == 1 && twice.output.contains("case.json is in it twice"), "\(twice)")
            let behind = try await verify(bundle.bytes + second.ended, desk)
            #expect(behind.status == 1 && behind.output.contains("behind its end"), "\(behind)")
            let rubbish = try await verify(Array("no archive".utf8), desk)
            #expect(rubbish.status == 2 && rubbish.error.split(separator: "\n").count == 1, "\(rubbish)")
        }
    }

    @Test func `originals that were gone when it was written are no fault`() async throws {
        try await worked { desk, id, ada in
            _ = try await desk.test.asSuperuser("delete from refunds.notification_bodies")
            let bundle = try await bundle(desk, id, ada)
            let checked = try await verify(bundle.bytes, desk, ["--sha256", bundle.fingerprint])
            #expect(checked.status == 0 && checked.output.contains("(1 were gone"), "\(checked)")
        }
    }

    @Test func `no secret is in a bundle, and another tenant's case has none`() async throws {
        try await worked { desk, id, ada in
            let bundle = try await bundle(desk, id, ada)
            let text = String(decoding: bundle.bytes, as: UTF8.self)
            for word in ["PRIVATE KEY", "Bearer", "eyJhbGciOiJFUzI1NiIsImtpZCI", "rd_"] {
                #expect(!text.contains(word), "\(word)")
            }
            #expect(
                try await desk.deciding.bundle(
                    of: id, tenant: desk.beta.app.tenant, by: ada, role: .owner, address: nil) == nil)
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                _ = try await desk.deciding.bundle(
                    of: id, tenant: desk.alpha.app.tenant, by: ada, role: .viewer, address: nil)
            }
        }
    }
}

extension Desk {
    var reading: Records { Records(database: database) }

    func member(_ email: String, of tenant: TenantID? = nil) async throws -> PersonID {
        let (now, tenant) = (now, tenant ?? alpha.app.tenant)
        return try await database.transaction(.house) { tx in
            let person = try await PersonStore.findOrAdd(email: email, at: now, in: tx)
            guard let whole = try await TenantStore.tenant(tenant, in: tx) else { return person.id }
            try await PersonStore.addMember(person, of: whole, role: .support, at: now, by: .commandLine, in: tx)
            return person.id
        }
    }
}
