/// Percent-encoding of RFC 3986.
package enum PercentCoding {
    /// Nil for a percent sign without two hexadecimal digits, for a NUL, and for what is not UTF-8.
    ///
    /// - Parameter plusIsSpace: as forms and queries have it; paths do not.
    package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            var byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == ASCII.percent {
                guard index != bytes.endIndex, let high = bytes[index].hexValue else { return nil }
                bytes.formIndex(after: &index)
                guard index != bytes.endIndex, let low = bytes[index].hexValue else { return nil }
                bytes.formIndex(after: &index)
                byte = high << 4 | low
            } else if byte == ASCII.plus, plusIsSpace {
                byte = ASCII.space
            }
            guard byte != 0 else { return nil }
            decoded.append(byte)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Everything but letters, digits and `-._~` encoded: safe in a path segment and in a query.
    package static func encode(_ text: some StringProtocol) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
