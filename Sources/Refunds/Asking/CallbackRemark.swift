import FoundationEssentials

/// What a case's story says of a question to the app's server that ended, read back.
package struct CallbackRemark: Sendable, Hashable, Decodable {
    package static let kind = "callback"

    /// `answered`, `refused`, `silent`, `ended`.
    package let result: String
    package let tries: Int
    package let taken: String?
    package let notTaken: String?
    package let why: String?
    package let note: String?

    /// Nil for remarks of another kind.
    package init?(_ remark: CaseStory.Remark) {
        guard remark.kind == Self.kind,
            let read = try? JSONDecoder().decode(Self.self, from: Data(remark.detail.utf8))
        else { return nil }
        self = read
    }
}
