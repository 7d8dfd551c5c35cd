import Foundation
import Testing

/// Loops and Swift's own threads are few: what waits on one of them makes everybody wait. A turn that was
/// too long is counted when it happens; these rules are about the calls that would make it so.
@Suite struct `Rules of waiting` {
    /// Calls that hold their thread, and the only files in which each may stand, with the reason.
    static let blocking: [String: [String: String]] = [
        "EVP_PBE_scrypt(": ["Sources/Plumbing/Crypto/KeyDerivation.swift": "110 ms, which its callers offload"],
        "KeyDerivation.scrypt(": ["Sources/Tenants/People/PasswordHash.swift": "110 ms, which sign-in offloads"],
        "getaddrinfo(": ["Sources/Plumbing/Postgres/ConnectionSettings.swift": "on the thread of name look-ups"],
        "PQcancel(": ["Sources/Plumbing/Postgres/ConnectionHandle.swift": "on the thread of cancellations"],
        "PQgetResult(": ["Sources/Plumbing/Postgres/ConnectionHandle.swift": "asked for when PQisBusy says no"],
        "PQconnectdb": [:], "PQexec": [:], "PQreset(": [:], "PQping": [:], "PQprepare(": [:],
        "DispatchSemaphore": ["Sources/Plumbing/Loop/Offload.swift": "where threads of its own wait for work"],
        "DispatchGroup": [:], "Thread.sleep": [:], "usleep(": [:], "nanosleep(": [:], "pthread_join(": [:],
        "waitUntilExit": [:], "readLine(": [:],
        "curl_easy_perform": ["Sources/Plumbing/Mail/MailTransfer.swift": "on the mail client's own threads"],
        "URLSession": ["Sources/Web/Pages/Onboarding/Snippets.swift": "code for others to copy, never run here"],
        "Data(contentsOf": ["Sources/Simulator/SmallApple/StateFolder.swift": "as the rehearsal starts"],
        "String(contentsOf": [:], "contentsOfFile": [:],
        "FileManager.": [
            "Sources/Run/Version.swift": "as the program starts", "Sources/Run/Places.swift": "as the program starts",
            "Sources/Plumbing/AppStore/Signing/TrustFolder.swift": "as the program starts",
            "Sources/Web/Assets.swift": "as the program starts; pages are served from memory",
            "Sources/Simulator/SmallApple/StateFolder.swift": "as the rehearsal starts and ends",
        ],
        "SecretBytes.file(": [
            "Sources/Run/Settings/SettingsReader.swift": "as the program starts",
            "Sources/Run/Commands/AppCommand.swift": "a command, which serves nobody else",
            "Sources/Run/Commands/SecretFile.swift": "a command, which serves nobody else",
        ],
    ]

    @Test(arguments: blocking.keys.sorted())
    func `a call that holds its thread stands only where that is explained`(call: String) throws {
        let allowed = Set((Self.blocking[call] ?? [:]).keys)
        var used: Set<String> = []
        for file in try SourceTree.files(in: "Sources", ".swift") where file.text.contains(call) {
            for (number, line) in file.lines.enumerated() where line.contains(call) && codeOnly(line).contains(call) {
                used.insert(file.path)
                #expect(allowed.contains(file.path), "\(file.path):\(number + 1): \(call)")
            }
        }
        #expect(allowed.subtracting(used).isEmpty, "no longer needed: \(allowed.subtracting(used).sorted())")
    }

    /// Functions of ours that hold their thread, and what must stand around each call of them.
    @Test(arguments: [
        ("PasswordHash.make(", "blocking {"), ("compared.matches(", "blocking {"),
        ("settings.resolved(", "names.run {"), ("canceller.cancel()", "cancels.run {"),
    ])
    func `what holds its thread is handed to threads that may be held`(call: String, around: String) throws {
        var calls = 0
        for file in try SourceTree.files(in: "Sources", ".swift") where file.text.contains(call) {
            for (number, line) in file.lines.enumerated() where codeOnly(line).contains(call) {
                calls += 1
                let before = file.lines[max(0, number - 6)...number]
                #expect(before.contains { $0.contains(around) }, "\(file.path):\(number + 1): \(call)")
            }
        }
        #expect(calls > 0, "\(call) is called nowhere: this rule is about another name by now")
    }
}
