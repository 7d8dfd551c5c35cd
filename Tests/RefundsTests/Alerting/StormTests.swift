import Testing

@testable import Refunds

@Suite struct `One incident for many findings` {
    private func failing(_ number: Int) -> Finding {
        Finding(
            .channelFailing, cause: "channel \(number)", .error,
            .channelFailing(name: "Nights \(number)", kind: "Slack", isOff: true, said: "no_service"))
    }

    @Test func `channels that all fail are told as many, and what that points to`() throws {
        #expect(Finding.fold((1...5).map(failing)).count == 5)
        let told = Finding.fold((1...7).map(failing))
        let storm = try #require(told.first).said
        #expect(told.count == 1 && storm.title == "7 channels do not take our messages.")
        #expect(storm.effect.contains("Nobody is told over them.") && storm.effect.contains("no_service"))
        #expect(storm.firstStep.contains("page of channels") && !storm.firstStep.contains("Open the channel,"))
    }
}
