import HTTP
import Tenants

/// The fields of a form, whichever of the two ways it was sent; files stay where they lie in the body.
struct SetupForm {
    let request: Request
    private let fields: [(name: String, value: String)]
    private let files: [MultipartBody.Part]

    /// - Throws: `BodyError`.
    init(_ request: Request) throws {
        self.request = request
        guard request.headers.mediaType == "multipart/form-data" else {
            fields = try request.form().pairs.map { ($0.name, $0.value) }
            files = []
            return
        }
        let body = try request.multipart()
        files = body.parts.filter { $0.filename != nil || Self.secrets.contains($0.name) }
        fields = try body.parts.filter { $0.filename == nil && !Self.secrets.contains($0.name) }.map { part in
            guard let text = request.text(of: part) else {
                throw BodyError(reason: .malformed, text: "a field of the form is no text")
            }
            return (part.name, text)
        }
    }

    /// Fields that are never made a text: what is pasted there is a key.
    private static let secrets: Set<String> = ["pasted"]

    /// Without blanks at both ends; empty where it was not sent or holds what no field may hold.
    func text(_ name: String) -> String {
        guard let value = fields.first(where: { $0.name == name })?.value, !value.contains("\0") else { return "" }
        var text = value[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// One of the choices that the form offers. Nothing is chosen in somebody's place: what is not offered, or not
    /// there, changes nothing.
    ///
    /// - Throws: `AppChangeError` for `member`.
    func choice(_ name: String, of offered: [String], member: String? = nil) throws -> String {
        let chosen = text(name)
        guard offered.contains(chosen) else {
            throw AppChangeError(member ?? name, "must be one of \(offered.joined(separator: ", "))")
        }
        return chosen
    }

    /// Every file that has content, and every pasted text that is more than blanks: its place in the body, and its name.
    func files(_ names: String...) -> [(bytes: ArraySlice<UInt8>, name: String?)] {
        files.filter { names.contains($0.name) }.compactMap { part in
            let bytes = request.bytes(of: part)
            guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
            return (bytes, part.filename.flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    /// What is shown again where a form was not taken.
    var shown: [String: String] {
        Dictionary(fields.map { ($0.name, String($0.value.prefix(70_000))) }) { first, _ in first }
    }
}
