import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        "ada@example.com", "Ada.Byron+desk@sub.example.co.uk", "o'hara@example.com", "1@2.example", "a_b-c@x-y.example",
        "jürgen@müller.example", "用户@例子.广告", "x@xn--fsqu00a.xn--0zwm56d",
    ])
    func `the form that mail servers exchange is taken as it was typed`(text: String) throws {
        #expect(try EmailAddress(text).text == text)
        #expect(try EmailAddress(" \t\(text)\u{A0}\n").text == text)
    }

    @Test(
        arguments: [
            ("", .empty), ("  ", .empty), ("a b@c.d", .blankInside), ("a@c .d", .blankInside),
            ("a\u{2028}b@c.d", .blankInside),
            ("ada", .atSigns), ("a@b@c.d", .atSigns), ("<script>@x.y", .localPart), ("\"a\"@x.y", .localPart),
            (".a@x.y", .localPart), ("a..b@x.y", .localPart), ("@x.y", .localPart), ("a,b@x.y", .localPart),
            ("a\0b@x.y", .localPart), ("a\u{202E}b@x.y", .localPart), ("a\u{200B}@x.y", .localPart),
            ("a@b", .domain), ("a@", .domain), ("a@.b", .domain), ("a@b.", .domain), ("a@-b.c", .domain),
            ("a@b-.c", .domain), ("a@b_c.d", .domain), ("a@10.0.0.1", .domain), ("a@[10.0.0.1]", .domain),
            ("a@\(String(repeating: "b", count: 64)).c", .domain), ("a@x\u{202E}.y", .domain),
            ("\(String(repeating: "a", count: 65))@x.y", .long),
            ("a@\(Array(repeating: String(repeating: "b", count: 60), count: 5).joined(separator: "."))", .long),
        ] as [(String, EmailAddress.Trouble)])
    func `anything else is refused with the reason`(text: String, trouble: EmailAddress.Trouble) {
        #expect(throws: trouble) { try EmailAddress(text) }
    }

    @Test func `case makes no second person, and nobody is locked out by a newer rule`() async throws {
        try await withDatabase { test in
            let (first, second, old) = try await test.database.transaction(.house) { tx in
                let first = try await PersonStore.findOrAdd(email: " Ada@Example.com", at: Samples.now, in: tx)
                try await tx.execute(
                    """
                    insert into tenants.people (person_id, email, created_at, sessions_valid_from)
                    values (gen_random_uuid(), 'root@desk', \(Samples.now), \(Samples.now))
                    """)
                return (
                    first, try await PersonStore.findOrAdd(email: "ada@example.COM ", at: Samples.now, in: tx),
                    try await PersonStore.find(email: " ROOT@desk", in: tx)
                )
            }
            #expect(first.email == "Ada@Example.com" && second == first)
            #expect(old?.email == "root@desk")
            await #expect(throws: PersonStoreError.badEmail(.domain)) {
                try await test.database.transaction(.house) { tx in
                    try await PersonStore.findOrAdd(email: "root@desk", at: Samples.now, in: tx)
                }
            }
        }
    }
}
