/// An tenant: its people and its apps. Nothing of one is ever visible to another.
package struct Tenant: Hashable, Sendable {
    package let id: TenantID
    /// What stands in URLs: lower-case letters, digits and hyphens; never changes.
    package let slug: String
    /// What people read.
    package let name: String

    package init(id: TenantID, slug: String, name: String) {
        self.id = id
        self.slug = slug
        self.name = name
    }

    /// 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen.
    package static func isSlug(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...63).contains(bytes.count) && bytes[0] != UInt8(ascii: "-")
            && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}
