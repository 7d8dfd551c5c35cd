import Glibc

/// An open file or socket, closed once: when its owner goes, or sets it to nil.
package struct Descriptor: ~Copyable, Sendable {
    package let raw: CInt

    /// Takes the descriptor over; nobody else may close it.
    package init(owning raw: CInt) { self.raw = raw }

    /// Hands the open descriptor over.
    package consuming func release() -> CInt {
        let raw = raw
        discard self
        return raw
    }

    deinit { close(raw) }
}
