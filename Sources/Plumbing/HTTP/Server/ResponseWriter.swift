/// Writes the head of an answer. Length, coding and connection are said here and nowhere else:
/// what a handler put there is left out.
struct ResponseWriter {
    enum Framing: Equatable {
        /// No Content-Length either: 204 and 304.
        case none
        case length(Int)
        case chunked
        /// HTTP/1.0 knows no chunks: the end of the connection is the end of the body.
        case untilClose
    }

    static func bytes(
        _ response: Response, framing: Framing, date: String, requestID: String, closes: Bool, isVersion10: Bool,
        roomFor bodyCount: Int = 0
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256 + 64 * response.headers.count + bodyCount)
        out.write("HTTP/1.1 ")
        out.write(number: response.status.code)
        out.write(" ")
        out.write(response.status.reason)
        out.write("\r\nDate: ")
        out.write(date)
        out.write("\r\nX-Request-Id: ")
        out.write(requestID)
        for field in response.headers where !isOurs(field.name) {
            out.write("\r\n")
            out.write(field.name)
            out.write(": ")
            out.write(field.value)
        }
        switch framing {
        case .none, .untilClose: break
        case .length(let count):
            out.write("\r\nContent-Length: ")
            out.write(number: count)
        case .chunked: out.write("\r\nTransfer-Encoding: chunked")
        }
        if closes {
            out.write("\r\nConnection: close")
        } else if isVersion10 {
            out.write("\r\nConnection: keep-alive")
        }
        out.write("\r\n\r\n")
        return out
    }

    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringCase("Date")
        case 10: name.equalsIgnoringCase("Connection")
        case 12: name.equalsIgnoringCase("X-Request-Id")
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }
}

extension [UInt8] {
    mutating func write(_ text: String) { append(contentsOf: text.utf8) }

    mutating func write(number: Int) {
        guard number >= 10 else {
            append(0x30 + UInt8(number))
            return
        }
        write(String(number))
    }
}
