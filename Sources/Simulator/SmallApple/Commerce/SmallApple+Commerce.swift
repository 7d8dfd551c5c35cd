// Advanced Commerce for a test in the same process, as the control API has it.
extension SmallApple {
    package var commerce: CommerceBook { works.commerce }

    /// Makes an Advanced Commerce purchase, which the API then knows.
    ///
    /// - Parameter isTold: whether the app is told of each transaction: SUBSCRIBED and DID_RENEW, or ONE_TIME_CHARGE.
    /// - Returns: its transactions, the newest last.
    @discardableResult
    package func sell(
        _ sale: CommerceSale, of bundleID: String, in environment: StoreEnvironment = .production, isTold: Bool = false
    ) throws -> [StoreTransaction] {
        try CommerceShop(works: works, office: office).sell(sale, of: bundleID, in: environment, isTold: isTold)
    }

    /// Decides a request that waits, now; false when none of that reference does.
    @discardableResult
    package func decide(
        _ requestReferenceID: String, in environment: StoreEnvironment = .production, as outcome: CommerceOutcome
    ) -> Bool {
        guard let request = works.commerce.request(requestReferenceID.lowercased(), in: environment),
            request.state == .waiting
        else { return false }
        clerk.decide(request, as: outcome)
        return true
    }
}
