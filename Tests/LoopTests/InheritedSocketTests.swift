import Testing

@testable import Loop

@Suite struct `Sockets that systemd opened` {
    @Test(
        arguments: [
            (7, 1, [3]), (7, 2, [3, 4]), (8, 1, []), (7, 0, []), (7, -1, []), (7, 1000, []), (nil, 1, []), (7, nil, []),
        ] as [(Int?, Int?, [CInt])])
    func `are taken by the process that they are for, and by no other`(pid: Int?, count: Int?, expected: [CInt]) {
        #expect(InheritedSockets.descriptors(pid: pid, count: count, own: 7) == expected)
    }
}
