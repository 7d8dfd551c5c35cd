import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Lists what waits for a person, and takes what the person decides.
struct HeldHandlers: Sendable {
    let console: Console

    func list(_ visit: TenantVisit) async throws -> Response {
        guard case .held(let slug, let assigned) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let cases = try await console.deciding.held(
            of: visit.tenant, assignment: assigned.map { CaseFilter.Assignment($0, of: visit) })
        let people = try await CaseHandlers(console: console).names(of: cases.compactMap(\.line.assignee), visit)
        return console.page(
            HeldPage(
                frame: console.frame(visit), slug: slug, cases: cases, assigned: assigned, people: people,
                now: console.clock.now
            ).html)
    }

    func answer(_ visit: TenantVisit) async throws -> Response {
        guard case .heldAnswer(let slug, let id) = visit.site,
            try await console.records.story(of: visit.tenant, case: id) != nil
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let form = try SetupForm(visit.visit.request)
        var wrong: [String: String] = [:]
        do {
            guard let round = UUID(uuidString: form.text("round")) else {
                throw DecidingDesk.Refused.field("round", "The form does not say which request it answers.")
            }
            try await console.deciding.answer(
                id, of: visit.tenant, round: round, try read(form, visit), role: visit.membership.role,
                address: visit.visit.context.client.address)
            return .seeOther(Site.refundCase(slug, id).url)
        } catch DecidingDesk.Refused.field("round", let why) {
            let notice = Notice(
                .attention, "Nothing was changed: \(why)",
                more: "Look at the request below, and send the form again if it still fits.")
            return try await CaseHandlers(console: console).page(
                id, visit, notice: notice, typed: anew(form), status: .unprocessableContent)
        } catch DecidingDesk.Refused.askedAgain(let state) {
            let notice = Notice(
                .attention,
                "Nothing was sent: Apple asked again meanwhile, and this answer was made for the request before.",
                more: state == .held
                    ? "The newer request is below. What you wrote stands in the form: send it again if it still fits."
                    : Words.meaning(state))
            return try await CaseHandlers(console: console).page(
                id, visit, notice: notice, typed: anew(form), status: .conflict)
        } catch DecidingDesk.Refused.field(let name, let why) {
            wrong[name] = why
        } catch DecidingDesk.Refused.answered(let name, let state) {
            let notice = Notice(
                .attention,
                name.map { "Nothing was changed: \($0) answered this request before you." }
                    ?? "Nothing was changed: this request waits for nobody any more.",
                more: Words.meaning(state))
            return try await CaseHandlers(console: console).page(id, visit, notice: notice, status: .conflict)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
        return try await CaseHandlers(console: console).page(
            id, visit, typed: form.shown, wrong: wrong, status: .unprocessableContent)
    }

    /// What was typed, for whichever request waits now.
    private func anew(_ form: SetupForm) -> [String: String] { form.shown.filter { $0.key != "round" } }

    private func read(_ form: SetupForm, _ visit: TenantVisit) throws -> HeldAnswer {
        guard let choice = HeldAnswer.Choice(rawValue: form.text("choice")) else {
            throw DecidingDesk.Refused.field("choice", "Choose what Apple is told.")
        }
        let delivery = form.text("delivery")
        guard delivery.isEmpty || HeldAnswer.deliveries.contains(delivery) else {
            throw DecidingDesk.Refused.field("delivery", "Choose from what is offered.")
        }
        let use = form.text("use")
        let share = CurrencyDecimals.milliunits(use.hasSuffix("%") ? String(use.dropLast()) : use)
        guard use.isEmpty || share.map({ $0 <= 100_000 }) == true else {
            throw DecidingDesk.Refused.field("use", "The use is a number from 0 to 100, such as 33.5.")
        }
        return HeldAnswer(
            choice: choice, deliveryStatus: delivery.isEmpty ? nil : delivery,
            consumptionPercentage: use.isEmpty ? nil : share.map { Int($0) }, reason: form.text("reason"),
            person: visit.visit.session.person.rawValue, name: visit.visit.session.email, at: console.clock.now)
    }
}
