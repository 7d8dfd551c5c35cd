import Journal
import Loop
import Postgres
import Support
import Synchronization
import Testing

@Suite struct `a listener` {
    @Test func `hears what is notified, and tells when it was away`() async throws {
        try await withDatabase { test in
            let listener = Listener(database: test.database, journal: .silent)
            let heard = Mutex<[String]>([])
            let connects = Mutex(0)
            listener.listen("desk_test") { payload in heard.withLock { $0.append(payload) } }
            listener.whenConnected { connects.withLock { $0 += 1 } }
            listener.start()
            try await until { connects.withLock { $0 } == 1 }
            _ = try await test.database.rows(.house, "select pg_notify('desk_test', 'one')")
            try await until { heard.withLock { $0 } == ["one"] }

            let pid: Int32 = try await test.asSuperuser(
                "select pid from pg_stat_activity where datname = current_database() and query ilike 'listen %'")[0](
                    "pid")
            _ = try await test.asSuperuser("select pg_terminate_backend(\(pid)) as ended")
            try await until { connects.withLock { $0 } == 2 }
            _ = try await test.database.rows(.house, "select pg_notify('desk_test', 'two')")
            try await until { heard.withLock { $0 } == ["one", "two"] }
            await listener.stop()
        }
    }

    @Test func `holds a lock as a sign of life, after a reconnect too`() async throws {
        try await withDatabase { test in
            let listener = Listener(database: test.database, journal: .silent)
            let connects = Mutex(0)
            listener.whenConnected { connects.withLock { $0 += 1 } }
            listener.start()
            try await until { connects.withLock { $0 } == 1 }
            try await listener.hold(SessionLock(space: 7, number: 42))
            func holder() async throws -> Int32? {
                try await test.asSuperuser(
                    """
                    select pid from pg_locks where locktype = 'advisory' and classid = 7 and objid = 42 and granted
                      and database = (select oid from pg_database where datname = current_database())
                    """
                ).first?("pid")
            }
            let first = try #require(try await holder())
            _ = try await test.asSuperuser("select pg_terminate_backend(\(first)) as ended")
            try await until {
                let now = try await holder()
                return now != nil && now != first
            }
            await listener.stop()
            try await until { try await holder() == nil }
        }
    }
}
