import Loop
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080"), ("localhost:80", "127.0.0.1:80"), ("[::1]:0", "[::1]:0"),
        ("[::]:443", "[::]:443"), ("unix:/run/desk.sock", "unix:/run/desk.sock"),
    ])
    func `an address to listen at is read`(text: String, expected: String) {
        #expect(SocketAddress(text)?.description == expected)
    }

    @Test(arguments: [
        "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]",
        "[127.0.0.1]:80", "example.com:80", "unix:", "unix:relative", "127.0.0.1:+80",
        "unix:/" + String(repeating: "x", count: 107),
    ])
    func `what is no address is refused`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
        ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe80::1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("172.16.0.0/12", "172.31.255.255", true), ("172.16.0.0/12", "172.32.0.0", false),
    ])
    func `a range knows its addresses`(range: String, address: String, isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        let address = try #require(IPAddress(address))
        #expect(range.contains(address) == isInside)
        #expect(!range.contains(nil))
    }

    @Test func `a Unix socket is in the range of its name alone`() throws {
        #expect(AddressRange.unix.contains(nil))
        let address = try #require(IPAddress("127.0.0.1" as String))
        #expect(!AddressRange.unix.contains(address))
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/08", "example.com", "fd00::/129", "",
    ])
    func `what is no range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
