import Time

/// The rules about the installation. Pure.
enum HouseRules {
    static let queueOldAfter = Duration.minutes(2)
    static let slowFrom = Duration.seconds(1)
    static let certificateSoon = Duration.days(14)

    static let looked: Set<IncidentRule> = [
        .queueOld, .workerStuck, .databaseSlow, .revocationUnreachable, .diskFull, .certificateEnding,
        .masterKeyMissing,
    ]

    static func findings(_ facts: HouseFacts, _ work: WorkFacts, at now: Moment) -> [Finding] {
        var found: [Finding] = []
        if !facts.hasMasterKey {
            found.append(
                Finding(
                    .masterKeyMissing, cause: "master key", .critical, title: "There is no master key.",
                    effect: "No key can be opened: no reply goes out, and nothing new can be sealed.",
                    firstStep:
                        "Name the key's file in REFUND_DESK_MASTER_KEY_FILE and start again; a backup of it is the only other copy."
                ))
        }
        if work.oldestReady >= queueOldAfter {
            found.append(
                Finding(
                    .queueOld, cause: "queue", .error,
                    title:
                        "Work has waited for \(TenantRules.words(work.oldestReady)) that should begin within seconds.",
                    effect: "\(work.ready) job\(work.ready == 1 ? "" : "s") ready; replies are late.",
                    firstStep:
                        "Look whether the engine runs (refund-desk serve --only engine), and at the load of the database."
                ))
        }
        if work.stuck > 0 {
            found.append(
                Finding(
                    .workerStuck, cause: "workers", .error,
                    title:
                        "\(work.stuck) job\(work.stuck == 1 ? "" : "s") were claimed and neither finished nor given back in time.",
                    effect:
                        "They are taken over by themselves; that it happens means that a process hangs or was cut off.",
                    firstStep:
                        "Look at the log of each engine process for its last lines, and restart the one that is silent."
                ))
        }
        if work.latency >= slowFrom {
            found.append(
                Finding(
                    .databaseSlow, cause: "database", .warning,
                    title: "The database takes \(work.latency.wholeMilliseconds) ms for the smallest question.",
                    effect: "Apple's deliveries wait, and are turned away when it gets worse.",
                    firstStep: "Look at the database's load, its disks and long transactions (refund-desk doctor)."))
        }
        if let since = facts.revocationSilentSince, now - since >= .minutes(30) {
            found.append(
                Finding(
                    .revocationUnreachable, cause: "responder", .warning,
                    title: "Apple's revocation responder has not answered since \(since.iso8601).",
                    effect: "Notifications are taken without knowing whether their certificates were revoked.",
                    firstStep:
                        "Allow this machine to call ocsp.apple.com, or set REFUND_DESK_REVOCATION_CHECK=off and know why."
                ))
        }
        for disk in facts.disks where disk.size > 0 && (disk.free * 20 < disk.size || disk.free < 200 << 20) {
            found.append(
                Finding(
                    .diskFull, cause: "disk \(disk.path)", disk.free * 100 < disk.size ? .critical : .error,
                    title: "The disk under \(disk.path) has \(disk.free >> 20) MiB left of \(disk.size >> 20).",
                    effect: "When it is full nothing can be stored, and Apple's deliveries are turned away.",
                    firstStep: "Make room, or make the disk larger."))
        }
        if let fault = facts.certificateFault {
            found.append(
                Finding(
                    .certificateEnding, cause: "certificate", .critical,
                    title: "The public address cannot be reached over TLS: \(fault).",
                    effect: "Apple delivers nothing to an address whose certificate it does not trust.",
                    firstStep: "Renew the certificate at the proxy."))
        } else if let ends = facts.certificateEnds, ends - now < certificateSoon {
            found.append(
                Finding(
                    .certificateEnding, cause: "certificate", ends - now < .days(3) ? .error : .warning,
                    title: "The certificate of the public address ends at \(ends.iso8601).",
                    effect: "After that Apple delivers nothing.",
                    firstStep: "Renew the certificate at the proxy, and find out why that did not happen by itself."))
        }
        return found
    }
}
