import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of replies and attempts.
enum ReplyStore {
    /// The one body of a round, where it is frozen already.
    static func body(
        of round: UUID, in locked: LockedCase, tx: Transaction
    ) async throws -> (version: AppStoreServerAPI.ConsumptionVersion, body: [UInt8])? {
        let row = try await tx.row(
            """
            select api, body
            from refunds.replies
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
            """)
        guard let row else { return nil }
        let api: Int16 = try row("api")
        return (api == 1 ? .v1 : .v2, try row("body"))
    }

    /// Freezes the body of a round; for ever.
    static func freezing(
        _ reply: ConsumptionReply, of round: UUID, consent: Int64?, in locked: LockedCase, at now: Moment
    ) -> SQL {
        """
        insert into refunds.replies (tenant_id, case_id, round_id, api, body, consent_change_no, frozen_at)
        values (\(locked.tenant.rawValue), \(locked.id), \(round), \(Int16(reply.version.rawValue)), \(reply.body),
          \(consent), \(now))
        """
    }

    /// Begins an attempt. Its times are the database's, counted from the permit's moment: other machines
    /// judge by them whether the call can still be under way.
    static func beginning(
        _ number: Int, of round: UUID, in locked: LockedCase, wait: Duration, worker: Int64, key: SigningKeyID
    ) -> SQL {
        let sendBy = wait + CallPermit.permission
        let giveUp = sendBy + CallPermit.callTotal + CallPermit.settleAllowance
        return """
            insert into refunds.attempts
              (tenant_id, case_id, round_id, attempt_no, worker, started_at, send_by, give_up_at, signing_key_id)
            select \(locked.tenant.rawValue), \(locked.id), \(round), \(Int32(number)), \(worker), t.now + \(wait),
              t.now + \(sendBy), t.now + \(giveUp), \(key.rawValue)
            from (select date_trunc('milliseconds', clock_timestamp()) as now) t
            """
    }

    /// Records how an attempt ended. What was given up as unknown may become known late; what ended for
    /// good never changes. A second acceptance in a round, late news of a call that was given up, leaves
    /// its mark in the attempt's status and not in its result.
    static func end(
        _ call: ReplyCall, with result: ReplyResult, retryAt: Moment?, tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.attempts
            set ended_at = date_trunc('milliseconds', clock_timestamp()),
              result = case
                when \(result.result == .accepted) and exists (
                  select from refunds.attempts other
                  where other.tenant_id = \(call.tenant.rawValue) and other.case_id = \(call.caseID)
                    and other.round_id = \(call.round) and other.result = 'accepted')
                then 'unknown' else \(result.result.rawValue) end,
              status = \(result.answer.map { Int32($0.status) }), apple_code = \(result.answer?.code),
              apple_message = \(result.answer?.message), apple_request_id = \(result.answer?.requestID),
              error = \(result.error), retry_at = \(retryAt)
            where tenant_id = \(call.tenant.rawValue) and case_id = \(call.caseID) and round_id = \(call.round)
              and attempt_no = \(Int32(call.attempt)) and (ended_at is null or result = 'unknown')
            """)
    }

    /// No call of the lane before a moment, for all processes.
    ///
    /// Permits are withheld, and not the lane's other work: notifications are still read, and deadlines
    /// still pass, while Apple asks for patience.
    static func holdLane(_ lane: Int64, for wait: Duration, why: String, tx: Transaction) async throws {
        try await tx.execute(
            """
            update queue.lanes
            set free_at = greatest(free_at, clock_timestamp() + \(wait)), why = \(why)
            where lane = \(lane)
            """)
    }

    /// How long until a lane has a permit again.
    static func laneWait(_ lane: Int64, tx: Transaction) async throws -> Duration {
        let row = try await tx.row(
            "select greatest(free_at - clock_timestamp(), interval '0') as wait from queue.lanes where lane = \(lane)")
        return try row?("wait") ?? .seconds(1)
    }
}
