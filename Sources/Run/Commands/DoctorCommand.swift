import Refunds

/// `refund-desk doctor`
enum DoctorCommand {
    static let doctor = Command(
        CommandForm(
            words: ["doctor"],
            summary: "Checks settings, database, clock, trust, keys and URLs; one line each, exit 1 on any fail.")
    ) { _, surroundings in
        let checks = await Doctor.examine(surroundings)
        let width = (checks.map(\.name.count).max() ?? 0) + 2
        let lines = checks.map { check in
            let state = check.state.rawValue + String(repeating: " ", count: 6 - check.state.rawValue.count)
            return state + check.name + String(repeating: " ", count: width - check.name.count) + check.line
        }
        return Answer(
            [
                (
                    "checks",
                    .list(
                        checks.map {
                            .object([
                                ("name", .text($0.name)), ("state", .text($0.state.rawValue)), ("text", .text($0.line)),
                            ])
                        })
                )
            ],
            text: lines.joined(separator: "\n"), isGood: !checks.contains { $0.state == .fail })
    }
}
