import Glibc

/// How full a file system is.
package struct DiskSpace: Sendable, Hashable {
    /// Bytes that an ordinary user may still write.
    package let free: Int64
    package let size: Int64

    /// Nil where the path cannot be looked at.
    package init?(of path: String) {
        var found = statvfs()
        guard unsafe statvfs(path, &found) == 0 else { return nil }
        let block = Int64(clamping: found.f_frsize)
        free = Int64(clamping: found.f_bavail).multipliedReportingOverflow(by: block).partialValue
        size = Int64(clamping: found.f_blocks).multipliedReportingOverflow(by: block).partialValue
    }
}
