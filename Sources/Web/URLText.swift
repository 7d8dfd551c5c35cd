/// Percent-coding of path segments and query fields (RFC 3986).
enum URLText {
    static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                out.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// `?a=b&c=d`; empty where no field has a value.
    static func query(_ fields: [(String, String?)]) -> String {
        let pairs = fields.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : encode(name) + "=" + encode($0) }
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
