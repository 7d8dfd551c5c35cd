import Postgres
import Tenants
import Time

/// `refund-desk rehearse`
enum RehearseCommand {
    static let rehearse = Command(
        CommandForm(
            words: ["rehearse"],
            options: [
                .required("bundle-id", "ID", "which app"),
                .optional("tenant", "SLUG", "whose app it is; needed where several tenants have one of this ID"),
                .flag("unattended", "nobody stands at a device: a simulator does what a person would do there"),
                .optional("simulator", "URL", "with unattended: its address, where the settings do not tell"),
                .optional("patience", "MINUTES", "how long a step is waited for (default: 20; unattended: 2)"),
            ],
            summary:
                "Leads through refund requests in Apple's Sandbox, step by step, and judges each; exit 1 where one failed."
        )
    ) { arguments, surroundings in
        let unattended = arguments.has("unattended")
        guard unattended || arguments.optional("simulator") == nil else {
            throw UsageError("--simulator goes with --unattended", usage: arguments.form.usage)
        }
        let minutes = try arguments.number("patience") ?? (unattended ? 2 : 20)
        guard minutes <= 24 * 60 else { throw UsageError("--patience is a day at most", usage: arguments.form.usage) }
        let simulator = try arguments.optional("simulator").map { text in
            do throws(SettingText) { return try BaseURL(text) } catch {
                throw UsageError("--simulator \(error)", usage: arguments.form.usage)
            }
        }
        return try await House.open(surroundings) { house in
            let app = try await app(arguments["bundle-id"], of: arguments.optional("tenant"), house)
            let stage = unattended ? try RehearsalStage(of: app, at: simulator, house) : nil
            let rehearsal = Rehearsal(house: house, app: app, stage: stage, patience: .minutes(minutes))
            let verdicts: [RehearsalVerdict]
            do { verdicts = try await rehearsal.run() } catch {
                await stage?.leave()
                throw error
            }
            await stage?.leave()
            return answer(verdicts)
        }
    }

    private static func app(_ bundleID: String, of slug: String?, _ house: House) async throws -> App {
        var tenants: [Tenant]
        if let slug {
            tenants = [try await house.tenant(slug)]
        } else {
            tenants = try await house.database.transaction(.house) { tx in
                try await TenantStore.tenants(withApp: bundleID, in: tx)
            }
            guard tenants.count < 2 else {
                throw Failure(
                    "several tenants have an app \(bundleID): say which with --tenant \(tenants.map(\.slug).joined(separator: "|"))"
                )
            }
        }
        guard let tenant = tenants.first else { throw TenantStoreError.noApp(bundleID: bundleID) }
        return try await house.database.transaction(tenant.id.scope) { tx in
            try await house.app(bundleID, of: tenant, in: tx)
        }
    }

    private static func answer(_ verdicts: [RehearsalVerdict]) -> Answer {
        let passed = verdicts.allSatisfy(\.isPassed)
        let table = TextTable(
            "STEP", "VERDICT", "TOOK", "",
            rows: verdicts.map { [$0.step.title, $0.isPassed ? "ok" : "FAIL", "\($0.seconds) s", $0.text] })
        return Answer(
            [
                ("passed", .flag(passed)),
                (
                    "steps",
                    .list(
                        verdicts.map {
                            .object([
                                ("step", .text($0.step.rawValue)), ("passed", .flag($0.isPassed)),
                                ("text", .text($0.text)), ("seconds", .number($0.seconds)),
                            ])
                        })
                ),
            ],
            text: table.text + "\n\n"
                + (passed ? "Every step went as it should." : "Not every step went as it should."),
            isGood: passed)
    }
}
