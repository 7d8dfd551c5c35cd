import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows, adds, changes, tests and removes channels.
struct ChannelHandlers: Sendable {
    let console: Console

    private var desk: AlertDesk { console.alerts }

    func show(_ visit: TenantVisit) async throws -> Response {
        let query = visit.visit.request.query
        var (ignored, wanted): ([IgnoredField], ChannelForm) = ([], ChannelForm())
        ignored.noteOthers(query, known: ["kind"])
        wanted.kind = ignored.read("kind", query, ChannelKind.init(rawValue:))?.rawValue ?? ""
        var page = try await page(visit, changed: nil, wanted)
        page.ignored = ignored
        return console.page(page.html)
    }

    func add(_ visit: TenantVisit) async throws -> Response {
        let form = try visit.visit.request.form()
        var wanted = ChannelForm(form)
        guard let kind = ChannelKind(rawValue: wanted.kind) else {
            wanted.errors["kind"] = "Choose one of the kinds."
            return try await refused(visit, changed: nil, wanted)
        }
        return try await taking(visit, changed: nil, &wanted, secret: form.first("secret") ?? "") { change in
            let channel = try await desk.addChannel(
                kind, change, of: visit.tenant, by: .person(visit.visit.session.person),
                address: visit.administrator.address)
            return .seeOther(Site.channel(visit.slug, channel.id).url)
        }
    }

    func showOne(_ visit: TenantVisit) async throws -> Response {
        guard let channel = try await find(visit) else { return nothing(visit) }
        let apps = try await console.records.apps(of: visit.tenant)
        return console.page(try await page(visit, changed: channel, ChannelForm(channel, apps: apps)).html)
    }

    func state(_ visit: TenantVisit) async throws -> Response {
        guard case .channelState(_, let id) = visit.site, let channel = try await find(id, visit) else {
            return nothing(visit)
        }
        return console.page(try await page(visit, changed: channel, ChannelForm()).fragment)
    }

    func change(_ visit: TenantVisit) async throws -> Response {
        guard let channel = try await find(visit) else { return nothing(visit) }
        let form = try visit.visit.request.form()
        var wanted = ChannelForm(form)
        return try await taking(visit, changed: channel, &wanted, secret: form.first("secret") ?? "") { change in
            _ = try await desk.changeChannel(
                channel.id, change, of: visit.tenant, by: .person(visit.visit.session.person),
                address: visit.administrator.address)
            return .seeOther(Site.channel(visit.slug, channel.id).url)
        }
    }

    func test(_ visit: TenantVisit) async throws -> Response {
        guard case .channelTest(let slug, let id) = visit.site, let channel = try await find(id, visit) else {
            return nothing(visit)
        }
        // A second press while the first message is on its way shows that one.
        let last = try await desk.lastTest(of: channel)
        if let last, last.isTaken == nil, last.askedAt > console.clock.now - ChannelTrial.patience {
            return .seeOther(Site.channel(slug, id).url)
        }
        do {
            try await desk.testChannel(
                id, of: visit.tenant, by: .person(visit.visit.session.person), address: visit.administrator.address)
            return .seeOther(Site.channel(slug, id).url)
        } catch AlertError.noSuchChannel {
            return nothing(visit)
        }
    }

    func remove(_ visit: TenantVisit) async throws -> Response {
        guard case .channelRemoval(let slug, let id) = visit.site else { return nothing(visit) }
        do {
            try await desk.removeChannel(
                id, of: visit.tenant, by: .person(visit.visit.session.person), address: visit.administrator.address)
            return .seeOther(Site.channels(slug).url)
        } catch AlertError.noSuchChannel {
            return nothing(visit)
        }
    }

    // MARK: Parts

    private func find(_ visit: TenantVisit) async throws -> Channel? {
        guard case .channel(_, let id) = visit.site else { return nil }
        return try await find(id, visit)
    }

    private func find(_ id: UUID, _ visit: TenantVisit) async throws -> Channel? {
        try await desk.channels(of: visit.tenant).first { $0.id == id }
    }

    private func taking(
        _ visit: TenantVisit, changed: Channel?, _ wanted: inout ChannelForm, secret: String,
        _ body: (ChannelChange) async throws -> Response
    ) async throws -> Response {
        let apps = try await console.records.apps(of: visit.tenant)
        guard let change = wanted.change(secret: secret, apps: apps) else {
            return try await refused(visit, changed: changed, wanted)
        }
        do {
            return try await body(change)
        } catch let error as ChannelTargetError {
            let kind = changed?.kind ?? ChannelKind(rawValue: wanted.kind)
            let field = error.field == kind?.secret?.label ? "secret" : "target"
            wanted.errors[field] = "\(error)."
        } catch AlertError.field(let field, let text) {
            wanted.errors[field] = Words.sentence(text) + "."
        } catch let error as AlertError {
            wanted.errors[""] = Words.sentence("\(error)") + "."
        } catch let error as VaultError {
            wanted.errors[""] = Words.sentence("\(error)") + "."
        }
        return try await refused(visit, changed: changed, wanted)
    }

    private func refused(_ visit: TenantVisit, changed: Channel?, _ wanted: ChannelForm) async throws -> Response {
        console.page(try await page(visit, changed: changed, wanted).html, status: .unprocessableContent)
    }

    private func page(_ visit: TenantVisit, changed: Channel?, _ wanted: ChannelForm) async throws -> ChannelsPage {
        var page = ChannelsPage(
            frame: console.frame(visit), slug: visit.slug, channels: try await desk.channels(of: visit.tenant),
            apps: try await console.records.apps(of: visit.tenant), now: console.clock.now, changed: changed,
            wanted: wanted)
        page.hasMail = desk.hasMail
        if let changed { page.test = try await desk.lastTest(of: changed) }
        return page
    }

    private func nothing(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }
}
