import Foundation
import Testing
import Time

@Suite struct `Time zones` {
    @Test
    func
        `agree with Foundation's in every zone, summer and winter, until long after the last change that is written down`()
        throws
    {
        var compared = 0
        for name in TimeZone.knownTimeZoneIdentifiers {
            guard let theirs = TimeZone(identifier: name) else { continue }
            let ours = try #require(Zone(name), "\(name)")
            for seconds in stride(from: Int64(0), to: 4_000_000_000, by: 34_567_890) {
                let moment = Moment(milliseconds: seconds * 1000)
                let expected = theirs.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
                let isSame = ours.offset(at: moment) == .seconds(Int64(expected))
                if !isSame { Issue.record("\(name) at \(moment.iso8601)") }
                compared += 1
            }
        }
        #expect(compared > 40_000)
    }

    @Test(arguments: [
        "", "/etc/passwd", "../../../etc/passwd", "Europe", "Europe/", "Europe//Berlin", "Nowhere/Land", "zone.tab",
        "UTC\0", String(repeating: "A", count: 65),
    ])
    func `are no others than the system's`(name: String) { #expect(Zone(name) == nil) }

    @Test func `UTC needs no file`() { #expect(Zone("UTC")?.offset(at: Moment(milliseconds: 0)) == .zero) }
}
