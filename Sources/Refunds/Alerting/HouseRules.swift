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
            .databaseFull, cause: "database", .critical, .databaseFull(detail: detail))
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
                    .queueOld(waitedSeconds: work.oldestReady.wholeMilliseconds / 1000, ready: work.ready)))
        }
        if work.stuck > 0 {
            found.append(Finding(.workerStuck, cause: "workers", .error, .workerStuck(count: work.stuck)))
        }
        if work.latency >= slowFrom {
            found.append(
                Finding(
                    .databaseSlow, cause: "database", .warning,
                    .databaseSlow(milliseconds: work.latency.wholeMilliseconds)))
        }
        return found
    }

    private static func machine(_ facts: HouseFacts, at now: Moment) -> [Finding] {
        var found: [Finding] = []
        let host = facts.host
        if !facts.hasMasterKey {
            found.append(
                Finding(
                    .masterKeyMissing, cause: "master key \(host)", .critical, .masterKeyMissing(host: host)))
        }
        if let last = facts.databaseFullAt, now - last < fullFor {
            found.append(databaseFull(""))
        }
        if let since = facts.revocationSilentSince, now - since >= silentFrom {
            found.append(
                Finding(
                    .revocationUnreachable, cause: "responder \(host)", .warning,
                    .revocationUnreachable(host: host, sinceMilliseconds: since.milliseconds)))
        }
        if let volume = facts.databaseVolume, let severity = volume.severity {
            found.append(
                Finding(
                    .databaseFull, cause: "database", severity,
                    .databaseFilling(usedBytes: volume.used, sizeBytes: volume.size)))
        }
        for disk in facts.disks where disk.size > 0 && (disk.free * 20 < disk.size || disk.free < 200 << 20) {
            found.append(
                Finding(
                    .diskFull, cause: "disk \(host) \(disk.path)", disk.free * 100 < disk.size ? .critical : .error,
                    .diskFull(host: host, path: disk.path, freeBytes: disk.free, sizeBytes: disk.size)))
        }
        if let fault = facts.certificateFault {
            found.append(
                Finding(.certificateEnding, cause: "certificate", .critical, .certificateRefused(fault: fault)))
        } else if let ends = facts.certificateEnds, ends - now < certificateSoon {
            found.append(
                Finding(
                    .certificateEnding, cause: "certificate", ends - now < .days(3) ? .error : .warning,
                    .certificateEnding(endsMilliseconds: ends.milliseconds)))
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
