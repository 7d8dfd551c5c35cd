import Foundation
import Testing

@Suite struct `Rules of the schema` {
    static func migrations() throws -> [SourceTree.File] {
        try SourceTree.files(in: "Sources/Plumbing/Schema/Migrations", ".sql")
    }

    @Test func `migrations are contiguous and listed in order`() throws {
        let names = try Self.migrations().map { String($0.name.dropLast(4)) }
        let list = try SourceTree.files(in: "Sources/Plumbing/Schema", ".swift").map(\.text).joined()
        var from = list.startIndex
        for (index, name) in names.enumerated() {
            let number = String(repeating: "0", count: 4 - String(index + 1).count) + String(index + 1)
            #expect(name.hasPrefix("v\(number)_"), "\(name) is out of line")
            let place = list.range(of: name, range: from..<list.endIndex)
            #expect(place != nil, "\(name) is not listed, or not in order")
            from = place?.upperBound ?? from
        }
    }

    @Test func `tenant first: in the primary key of every table that has a tenant_id`() throws {
        for file in try Self.migrations() {
            for match in file.text.matches(
                of: /create table (\w+\.\w+) \(([\s\S]*?)\)(?: with \([^;]*\)| partition by [^;]*)?;/)
            {
                let (name, body) = (String(match.1), String(match.2))
                guard body.contains("tenant_id bigint") else { continue }
                let single = body.contains(/tenant_id bigint (generated [\w ]+ )?(not null )?primary key/)
                let composite = body.contains(/primary key \(tenant_id[,)]/)
                #expect(single || composite, "\(file.path): \(name) does not have the tenant first in its primary key")
                for reference in body.matches(of: /foreign key \((\w+)/) {
                    #expect(reference.1 == "tenant_id", "\(file.path): \(name) has a foreign key without the tenant")
                }
            }
        }
    }

    @Test func `no column is of a type whose operators leak under row security`() throws {
        for file in try Self.migrations() {
            for (number, line) in file.lines.enumerated()
            where !line.trimmingCharacters(in: .whitespaces).hasPrefix("--") {
                #expect(line.firstMatch(of: /\b(jsonb?|numeric|create type)\b/) == nil, "\(file.path):\(number + 1)")
                #expect(
                    line.firstMatch(of: /(?:^|[^:])\btimestamp\b/) == nil,
                    "\(file.path):\(number + 1): a time without its zone")
            }
        }
    }
}
