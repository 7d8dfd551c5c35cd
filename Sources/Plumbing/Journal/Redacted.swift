/// A value that no description shows. `reveal` is the loud way to its content.
package struct Redacted<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    package init(_ value: Value) { self.value = value }

    package func reveal() -> Value { value }
    package var description: String { "(redacted)" }
    package var debugDescription: String { "(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Equatable where Value: Equatable {}
