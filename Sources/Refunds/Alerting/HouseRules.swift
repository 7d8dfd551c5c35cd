import Time

/// The rules about the installation. Pure.
enum HouseRules {
    static let queueOldAfter = Duration.minutes(2)
    static let slowFrom = Duration.seconds(1)
    static let certificateSoon = Duration.days(14)
    /// Nothing was refused for so long: there is room again.
    static let fullFor = Duration.minutes(1)
    /// Responders have short troubles of their own, and a notification is taken all the same.
    static let silentFrom = Duration.minutes(30)

    static let looked: Set<IncidentRule> = [
        .queueOld, .workerStuck, .databaseSlow, .databaseFull, .revocationUnreachable, .diskFull, .certificateEnding,
        .masterKeyMissing,
    ]

    /// - Parameter detail: a sentence more.
    static func databaseFull(_ detail: String) -> Finding {
        Finding(
            .databaseFull, cause: "database", .critical, title: "The database takes no more data.",
            effect: "Apple's deliveries are turned away and come again later; no reply goes out. \(detail)",
            firstStep: "Make room on the database's disk.")
    }

    /// - Parameter processes: what each process of the installation tells of itself.
    static func findings(_ processes: [HouseFacts], _ work: WorkFacts, at now: Moment) -> [Finding] {
        var found = self.work(work)
        for process in processes { found += self.machine(process, at: now) }
        return worst(found)
    }

    private static func work(_ work: WorkFacts) -> [Finding] {
        var found: [Finding] = []
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
        return found
    }

    private static func machine(_ facts: HouseFacts, at now: Moment) -> [Finding] {
        var found: [Finding] = []
        let host = facts.host
        if !facts.hasMasterKey {
            found.append(
                Finding(
                    .masterKeyMissing, cause: "master key \(host)", .critical,
                    title: "There is no master key on \(host).",
                    effect: "No key can be opened: no reply goes out from there, and nothing new can be sealed.",
                    firstStep:
                        "Name the key's file in REFUND_DESK_MASTER_KEY_FILE and start again; a backup of it is the only other copy."
                ))
        }
        if let last = facts.databaseFullAt, now - last < fullFor {
            found.append(databaseFull(""))
        }
        if let since = facts.revocationSilentSince, now - since >= silentFrom {
            found.append(
                Finding(
                    .revocationUnreachable, cause: "responder \(host)", .warning,
                    title: "Apple's revocation responder has not answered \(host) since \(since.iso8601).",
                    effect: "Notifications are taken without knowing whether their certificates were revoked.",
                    firstStep:
                        "Allow this machine to call ocsp.apple.com, or set REFUND_DESK_REVOCATION_CHECK=off and know why."
                ))
        }
        for disk in facts.disks where disk.size > 0 && (disk.free * 20 < disk.size || disk.free < 200 << 20) {
            found.append(
                Finding(
                    .diskFull, cause: "disk \(host) \(disk.path)", disk.free * 100 < disk.size ? .critical : .error,
                    title:
                        "The disk under \(disk.path) of \(host) has \(disk.free >> 20) MiB left of \(disk.size >> 20).",
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

    /// Several processes see one thing: it counts once, as bad as the worst of them says.
    private static func worst(_ found: [Finding]) -> [Finding] {
        var kept: [Finding] = []
        for finding in found {
            if let index = kept.firstIndex(where: { $0.rule == finding.rule && $0.cause == finding.cause }) {
                if finding.severity > kept[index].severity { kept[index] = finding }
            } else {
                kept.append(finding)
            }
        }
        return kept
    }
}
