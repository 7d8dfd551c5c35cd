import Glibc

/// The folder this source was built from.
package enum Checkout {
    /// A file or folder by its path inside the checkout.
    package static func path(_ inside: String) -> String {
        let here = "\(#filePath)"
        guard let tests = here.range(of: "/Tests/Support/") else { return inside }
        return here[..<tests.lowerBound] + "/" + inside
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? { ranges(of: part).last }
}
