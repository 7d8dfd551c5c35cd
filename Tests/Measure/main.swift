// Measures the CPU that verifying one whole notification takes: outer signature, transaction, renewal,
// identity, dates; chain cached, as in service.
//
//   measure-verification FOLDER [SECONDS]     FOLDER as ops/measure/make_vectors.py makes it
//
// Prints one JSON object. Called by ops/bench.
import AppStore
import Foundation
import Time

struct Parameters: Decodable {
    let bundleId: String
    let appAppleId: Int64
}

func cpuMicroseconds() -> Double {
    var usage = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &usage)
    return Double(usage.tv_sec) * 1e6 + Double(usage.tv_nsec) / 1e3
}

guard CommandLine.arguments.count >= 2 else {
    print("usage: measure-verification FOLDER [SECONDS]")
    exit(2)
}
let folder = CommandLine.arguments[1]
let seconds = CommandLine.arguments.count > 2 ? Double(CommandLine.arguments[2]) ?? 2 : 2
let parameters = try JSONDecoder().decode(
    Parameters.self, from: Data(contentsOf: URL(filePath: folder + "/meta.json")))
let now = WallClock.system.now
let trust = TrustAnchors.load(folder: folder + "/roots", at: now).anchors
let verifier = Verifier(trust: trust, clock: .system)
let app = AppIdentity(bundleID: parameters.bundleId, appleID: parameters.appAppleId)
var payloads: [[UInt8]] = []
for line in try String(contentsOfFile: folder + "/vectors.jsonl", encoding: .utf8).split(separator: "\n").prefix(2000) {
    guard let value = line.split(separator: "\"").dropFirst(2).dropFirst().first else { continue }
    payloads.append(Array(value.utf8))
}

func verify(_ payload: [UInt8]) async throws {
    let outer = try await verifier.outer(payload, for: app, at: WallClock.system.now, from: .posted)
    guard let data = outer.payload.data, let environment = outer.environment as Environment?,
        let transaction = data.signedTransactionInfo
    else { return }
    _ = try await verifier.transaction(
        transaction, bundleID: app.bundleID, environment: environment, from: .notification, signedAt: outer.signedAt)
    if let renewal = data.signedRenewalInfo {
        _ = try await verifier.renewal(renewal, environment: environment, signedAt: outer.signedAt)
    }
}

try await verify(payloads[0])
var best = Double.infinity
var rounds: [Double] = []
for _ in 0..<5 {
    var count = 0
    let start = cpuMicroseconds()
    while cpuMicroseconds() - start < seconds * 1e6 / 5 {
        try await verify(payloads[count % payloads.count])
        count += 1
    }
    let each = (cpuMicroseconds() - start) / Double(count)
    rounds.append(each)
    best = min(best, each)
}
let median = rounds.sorted()[rounds.count / 2]
print("{\"us_median\": \(median), \"us_best\": \(best)}")
