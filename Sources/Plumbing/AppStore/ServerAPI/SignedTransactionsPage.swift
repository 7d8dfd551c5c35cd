import FoundationEssentials

/// One page of Get Transaction History or Get Refund History.
package struct SignedTransactionsPage: Sendable {
    /// Not verified yet; at most `transactionsMax`.
    package let signedTransactions: [String]
    /// Apple's word for the place behind this page: asks for the next one, and later for what came since.
    package let revision: String?
    package let hasMore: Bool
    package let answer: AppleAnswer

    /// Apple sends twenty a page.
    static let transactionsMax = 200
    static let revisionBytesMax = 2048

    package init(signedTransactions: [String], revision: String?, hasMore: Bool, answer: AppleAnswer) {
        self.signedTransactions = signedTransactions
        self.revision = revision
        self.hasMore = hasMore
        self.answer = answer
    }
}

/// What came of asking for a page.
package enum TransactionsResult: Sendable {
    case page(SignedTransactionsPage)
    case failed(CallResult)
}

/// What came of Look Up Order ID.
package enum OrderResult: Sendable {
    /// Not verified yet; empty where Apple knows no such order of this app.
    case found([String], AppleAnswer)
    case failed(CallResult)
}

/// The bodies of these answers. What is missing or of a strange kind counts as absent.
struct TransactionsBody: Decodable {
    let revision: String?
    let hasMore: Bool
    let signedTransactions: [String]

    private enum CodingKeys: String, CodingKey { case revision, hasMore, signedTransactions }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let named = try? members.decode(String.self, forKey: .revision)
        revision = named.flatMap { text in
            text.isEmpty || text.utf8.count > SignedTransactionsPage.revisionBytesMax || text.utf8.contains(0)
                ? nil : text
        }
        hasMore = (try? members.decode(Bool.self, forKey: .hasMore)) ?? false
        // Without the list it is no page.
        signedTransactions = Array(
            try members.decode([String].self, forKey: .signedTransactions)
                .prefix(SignedTransactionsPage.transactionsMax))
    }
}

struct OrderBody: Decodable {
    /// 0: valid; 1: no such order of this app, and no list.
    let status: Int
    let signedTransactions: [String]

    private enum CodingKeys: String, CodingKey { case status, signedTransactions }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        status = try members.decode(Int.self, forKey: .status)
        let named = try? members.decode([String].self, forKey: .signedTransactions)
        signedTransactions = Array((named ?? []).prefix(SignedTransactionsPage.transactionsMax))
    }
}
