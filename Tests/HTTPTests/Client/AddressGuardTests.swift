import Journal
import Loop
import Support
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10)))
struct `Addresses that may be called` {
    static let never = [
        "169.254.169.254", "169.254.0.1", "fe80::1", "febf::1", "0.0.0.0", "0.1.2.3", "::", "224.0.0.1",
        "255.255.255.255",
        "ff02::1", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
        "::169.254.169.254", "2001:0:0:0:0:0:5601:5601",
    ]
    static let inner = [
        "127.0.0.1", "127.8.9.10", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "::1",
        "fc00::1",
        "fdff::1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:0a00:0001::", "198.18.0.1", "192.0.2.1",
    ]
    static let outer = [
        "17.1.2.3", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "11.0.0.1", "2620:149::1", "2606:4700::1",
        "64:ff9b::8.8.8.8", "2002:0808:0808::1",
    ]

    @Test(arguments: never) func `some are never called`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressGuard.publicOnly.allows(address))
        #expect(!(try #require(AddressGuard(setting: "yes"))).allows(address))
        #expect(!(try #require(AddressGuard(setting: "0.0.0.0/0,::/0"))).allows(address))
    }

    @Test(arguments: inner) func `private ones are called where the operator allows it`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressGuard.publicOnly.allows(address))
        #expect((try #require(AddressGuard(setting: "yes"))).allows(address))
    }

    @Test(arguments: outer) func `public ones are called`(text: String) throws {
        #expect(AddressGuard.publicOnly.allows(try #require(IPAddress(text))))
    }

    @Test func `ranges open what they hold and nothing else`() throws {
        let narrow = try #require(AddressGuard(setting: "10.1.0.0/16, fd12::/32"))
        for (text, allowed) in [("10.1.2.3", true), ("10.2.0.1", false), ("fd12::1", true), ("fd13::1", false)] {
            #expect(narrow.allows(try #require(IPAddress(text))) == allowed, "\(text)")
        }
    }

    @Test(arguments: ["", "true", "10.0.0.0/8,", "10.0.0.0/33", "10.0.0.0 /8", "unix", "example.com", "yes,no"])
    func `anything else is no setting`(text: String) { #expect(AddressGuard(setting: text) == nil) }

    /// Settings: what is objected to with `no`, and with `127.0.0.0/8, 10.1.0.0/16`.
    static let objections: [(String, AddressGuard.Objection?, AddressGuard.Objection?)] = [
        ("https://example.com/", nil, nil), ("https://8.8.8.8/", nil, nil), ("http://example.com/", .plain, nil),
        ("http://8.8.8.8/", .plain, .plain), ("https://10.1.2.3/", .privateAddress("10.1.2.3"), nil),
        ("http://10.1.2.3/", .privateAddress("10.1.2.3"), nil),
        ("http://10.2.0.1/", .privateAddress("10.2.0.1"), .privateAddress("10.2.0.1")),
        ("https://localhost/", .privateAddress("localhost"), nil),
        ("http://a.localhost./", .privateAddress("a.localhost."), nil),
        ("https://0x7f.1/", .privateAddress("127.0.0.1"), .notCallable),
        ("https://127.0.0.1:8080", .privateAddress("127.0.0.1"), nil),
        ("https://2130706433/", .privateAddress("127.0.0.1"), .notCallable),
        ("http://127.1/", .privateAddress("127.0.0.1"), .notCallable),
        ("https://134744072/", .notCallable, .notCallable),
        ("https://[::1]/", .privateAddress("[::1]"), .privateAddress("[::1]")),
        ("https://169.254.169.254/", .neverCalled("169.254.169.254"), .neverCalled("169.254.169.254")),
        ("https://[64:ff9b::a9fe:a9fe]/", .neverCalled("[64:ff9b::a9fe:a9fe]"), .neverCalled("[64:ff9b::a9fe:a9fe]")),
        ("ftp://example.com/", .notCallable, .notCallable), ("https://", .notCallable, .notCallable),
    ]

    @Test(arguments: [
        ("http://127.0.0.1:9/x", true), ("https://localhost/x", true), ("https://10.1.2.3/", true),
        ("https://10.2.0.1/", false), ("https://hooks.example/x", false), ("https://8.8.8.8/", false),
        ("https://169.254.169.254/", false), ("10.1.2.3", false),
    ])
    func `what stands in an opened network is an address of it, and no name`(url: String, isInner: Bool) throws {
        #expect(try #require(AddressGuard(setting: "127.0.0.0/8, 10.1.0.0/16")).opensInner(to: url) == isInner)
        #expect(!AddressGuard.publicOnly.opensInner(to: url))
    }

    @Test(arguments: objections)
    func `what would be refused when it is called can be refused before`(
        url: String, closed: AddressGuard.Objection?, open: AddressGuard.Objection?
    ) throws {
        #expect(AddressGuard.publicOnly.objection(to: url) == closed)
        #expect(try #require(AddressGuard(setting: "127.0.0.0/8, 10.1.0.0/16")).objection(to: url) == open)
    }

    @Test(arguments: [
        "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://0x7f.1:PORT/", "http://2130706433:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/", "http://127.1:PORT/", "http://0.0.0.0:PORT/",
    ])
    func `no spelling of this machine reaches it through a guarded client`(url: String) async throws {
        let server = try ScriptedServer(steps: [.answer(200)])
        let client = HTTPClient(
            name: "guarded", options: .init(addressGuard: .publicOnly), journal: .silent, counters: Counters())
        let target = url.replacing("PORT", with: "\(server.port)")
        let error = try #require(await `HTTP client`.failure(client, `HTTP client`.request(target)))
        #expect(error.kind == .addressRefused && error.arrival == .notReceived, "\(error)")
        #expect(server.connections == 0)
    }

    @Test func `behind a proxy an address in the URL is still judged`() async throws {
        let proxy = try ScriptedServer(steps: [.answer(200)])
        let client = HTTPClient(
            name: "guarded", options: .init(proxy: proxy.url, addressGuard: .publicOnly), journal: .silent,
            counters: Counters())
        let error = try #require(await `HTTP client`.failure(client, `HTTP client`.request("http://[::1]:8080/")))
        #expect(error.kind == .addressRefused)
        #expect(proxy.connections == 0)
        _ = try await client.send(`HTTP client`.request("http://example.com/"))
        #expect(proxy.received.count == 1)
    }
}
