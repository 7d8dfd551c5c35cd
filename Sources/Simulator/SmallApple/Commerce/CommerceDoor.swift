import Time

/// What is looked at before an Advanced Commerce call is read: host, token, approval, limits.
struct CommerceDoor: Sendable {
    let works: Works

    /// The answer to a token that is not good.
    ///
    /// Both forms were seen: the bare one of the App Store Server API, and one with JSON (apple sheet 8.3, C20).
    func refusesToken(requestID: String) -> Answer {
        works.commerce.settings.refusesTokensInJSON
            ? .error(CommerceError.unauthorized) : .unauthenticated(requestID: requestID)
    }

    /// nil lets the call in.
    func refusal(
        of app: RegisteredApp, in environment: StoreEnvironment, isOlderHost: Bool, now: Moment
    ) -> Answer? {
        let settings = works.commerce.settings
        // Whether the newer names serve these calls is not published (apple sheet 6.2).
        guard isOlderHost || settings.areOnNewHosts else {
            return Answer(status: 404, remarks: ["these calls are on the older host names only"])
        }
        guard works.commerce.standing(app.bundleID, in: environment).isApproved else {
            return .error(CommerceError.unauthorized, remarks: ["the app is not approved for Advanced Commerce"])
        }
        if let until = works.commerce.meter.refusal(
            app: app.bundleID, environment: environment, now: now, countsSeconds: settings.countsSeconds,
            jitterMilliseconds: settings.jitterMilliseconds)
        {
            return .rateLimited(until: until.milliseconds, remark: "more calls in a second than the app may make")
        }
        if let until = works.limits.refusal(
            "advancedCommerce", perSecond: 5, app: app.bundleID, environment: environment, now: now)
        {
            return .rateLimited(until: until.milliseconds, remark: "the app's limit is used up")
        }
        return nil
    }
}
