/// What an app's server said of consent when it was asked about one request, other than that there is one.
///
/// It stops that request's reply whatever the ledger holds: there the newest by the customer's own time counts, and the
/// answer to this very question is newer than all of it.
enum ConsentObjection: String, Sendable, Hashable {
    /// There is none, or it was withdrawn.
    case withdrawn
    /// Something that cannot be read; the ledger stays as it is.
    case unreadable
}
