/// What a colour says. The raw value is the class of the style sheets.
enum Tone: String, Sendable, CaseIterable {
    case plain = "tone-plain"
    /// Something is being worked on or waits for somebody else.
    case active = "tone-active"
    case good = "tone-good"
    case attention = "tone-attention"
    case bad = "tone-bad"
}
