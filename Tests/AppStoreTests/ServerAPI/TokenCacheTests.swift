import AppStore
import Journal
import Testing
import Time

@Suite struct `Token cache` {
    static let now = Moment(milliseconds: 1_780_000_000_000)
    static let key = TokenCache.Key(tenant: 1, keyID: "2X9R4HXF34", fingerprint: "aa:bb", bundleID: "com.example.alpha")

    static func filled() -> TokenCache {
        let cache = TokenCache()
        cache.keep(Redacted("token"), for: key, madeAt: now)
        return cache
    }

    @Test(arguments: [
        (Duration.zero, true), (.seconds(239), true), (.minutes(4), false), (.days(1), false), (.seconds(-1), false),
    ])
    func `a token is used again for four minutes, and not by a clock that was set back`(age: Duration, isKept: Bool) {
        #expect(Self.filled().token(Self.key, now: Self.now + age)?.reveal() == (isKept ? "token" : nil))
    }

    @Test(arguments: [
        TokenCache.Key(tenant: 2, keyID: "2X9R4HXF34", fingerprint: "aa:bb", bundleID: "com.example.alpha"),
        TokenCache.Key(tenant: 1, keyID: "2X9R4HXF35", fingerprint: "aa:bb", bundleID: "com.example.alpha"),
        TokenCache.Key(tenant: 1, keyID: "2X9R4HXF34", fingerprint: "aa:bc", bundleID: "com.example.alpha"),
        TokenCache.Key(tenant: 1, keyID: "2X9R4HXF34", fingerprint: "aa:bb", bundleID: "com.example.beta"),
    ])
    func `another tenant, key, content of the key or app has another token`(key: TokenCache.Key) {
        #expect(Self.filled().token(key, now: Self.now) == nil)
    }

    @Test(arguments: [(Duration.seconds(229), true), (.seconds(230), false), (.seconds(239), false)])
    func `a token that ends before a call would leave is not used for it, and others still may`(
        age: Duration, isReady: Bool
    ) {
        let cache = Self.filled()
        let ready = cache.token(Self.key, now: Self.now + age, lasting: .seconds(10))
        #expect(ready?.reveal() == (isReady ? "token" : nil))
        #expect(cache.token(Self.key, now: Self.now + age)?.reveal() == "token")
    }

    @Test func `a forgotten token is gone`() {
        let cache = Self.filled()
        cache.forget(Self.key)
        #expect(cache.token(Self.key, now: Self.now) == nil)
    }

    @Test func `it stays small, and keeps the newest`() {
        let cache = TokenCache(tokensMax: 10)
        for tenant in 0..<1000 {
            let key = TokenCache.Key(tenant: Int64(tenant), keyID: "K", fingerprint: "f", bundleID: "b")
            cache.keep(Redacted("\(tenant)"), for: key, madeAt: Self.now)
            #expect(cache.token(key, now: Self.now)?.reveal() == "\(tenant)")
        }
        let kept = (0..<1000).filter {
            cache.token(.init(tenant: Int64($0), keyID: "K", fingerprint: "f", bundleID: "b"), now: Self.now) != nil
        }
        #expect(kept.count <= 10)
    }
}
