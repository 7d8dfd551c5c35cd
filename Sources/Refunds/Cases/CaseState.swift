/// Where a case stands: the state of its newest request, or that there was none.
///
/// Stored and shown by its raw value (contract, "A case").
package enum CaseState: String, Sendable, CaseIterable {
    /// A request that is being worked on.
    case open
    /// Waits for a person.
    case held
    /// Apple accepted our reply.
    case answered
    /// Nothing is sent on purpose; the reason stands beside it.
    case withheld
    /// Apple refused our reply for good.
    case refused
    /// The deadline passed.
    case missed
    /// Apple decided before we answered.
    case overtaken
    /// Apple acted without asking.
    case unasked
    /// History from before; never answered.
    case imported
}
