/// The secret part of a notification URL: 32 random bytes in base64url.
enum InboxToken {
    static let bytes = 32
    static let characters = 43

    /// Whether a path segment can be a token at all: what cannot is answered without asking anybody.
    static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == characters
            && text.utf8.allSatisfy { byte in
                (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == 0x2D || byte == 0x5F
            }
    }
}
