import HTTP

/// The members of a request to the control API; a slip is answered by name.
struct ControlBody {
    private let members: JSONObject

    /// - Throws: 400 for what is no JSON object, and for a member that nobody asked for.
    init(_ request: Request, allowed: Set<String>) throws(HTTPError) {
        let value: JSON
        do throws(JSONReader.Fault) {
            value = request.body.isEmpty ? .object([:]) : try JSONReader.read(request.body)
        } catch {
            throw HTTPError(.badRequest, "the body is no JSON: \(error)\n")
        }
        try self.init(value, allowed: allowed)
    }

    init(_ value: JSON, allowed: Set<String>) throws(HTTPError) {
        guard let object = value.object else { throw HTTPError(.badRequest, "a JSON object was expected\n") }
        if let stranger = object.names.first(where: { !allowed.contains($0) }) {
            throw HTTPError(
                .badRequest, "unknown member \(stranger); known are \(allowed.sorted().joined(separator: ", "))\n")
        }
        members = object
    }

    func value(_ name: String) -> JSON? { members[name] }

    func string(_ name: String) throws(HTTPError) -> String? { try read(name, "a string") { $0.string } }
    func bool(_ name: String) throws(HTTPError) -> Bool? { try read(name, "true or false") { $0.bool } }
    func object(_ name: String) throws(HTTPError) -> JSONObject? { try read(name, "an object") { $0.object } }
    func array(_ name: String) throws(HTTPError) -> [JSON]? { try read(name, "an array") { $0.array } }

    func int(_ name: String, _ range: ClosedRange<Int64>) throws(HTTPError) -> Int64? {
        try read(name, "an integer from \(range.lowerBound) to \(range.upperBound)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func required(_ name: String) throws(HTTPError) -> String {
        guard let value = try string(name) else { throw HTTPError(.badRequest, "\(name) is missing\n") }
        return value
    }

    func environment() throws(HTTPError) -> StoreEnvironment {
        guard let name = try string("environment") else { return .production }
        guard let environment = StoreEnvironment(rawValue: name) else {
            throw HTTPError(.badRequest, "environment is Production or Sandbox\n")
        }
        return environment
    }

    private func read<Value>(_ name: String, _ kind: String, _ convert: (JSON) -> Value?) throws(HTTPError) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        guard let converted = convert(value) else { throw HTTPError(.badRequest, "\(name) must be \(kind)\n") }
        return converted
    }
}
