// swift-tools-version: 6.2
import PackageDescription

// Who may import whom. SwiftPM does not enforce it (a target can reach modules its neighbours
// import), so HouseTests compares every import line in the tree with this file.

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A target in `Sources/<name>`: one room of the house.
func room(_ name: String, _ imports: [String], path: String? = nil) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) },
        path: path ?? "Sources/\(name)", swiftSettings: house)
}

/// A target in `Sources/Plumbing/<name>`: speaks other people's protocols.
func pipe(_ name: String, _ imports: [String] = [], resources: [Resource]? = nil) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) },
        path: "Sources/Plumbing/\(name)", resources: resources, swiftSettings: house)
}

/// A C library of the system, with its shim header.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Plumbing/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt])])
}

/// A program: little more than a `main`.
func program(_ name: String, _ imports: [String], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: imports.map { .byName(name: $0) },
        path: path ?? "Sources/\(name)", swiftSettings: house)
}

/// Tests of one room. They may use what the room may use, and `Support`.
func tests(_ name: String, _ imports: [String]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: (imports + ["Support"]).map { .byName(name: $0) },
        path: "Tests/\(name)Tests", swiftSettings: house)
}

let everything = [
    "Time", "Journal", "Loop", "Postgres", "Schema", "Crypto", "HTTP", "Mail", "AppStore", "Queue",
    "Tenants", "Refunds", "Gateway", "Web",
]

let package = Package(
    name: "refund-desk",
    products: [
        .executable(name: "refund-desk", targets: ["Run"]),
        .executable(name: "app-store-simulator", targets: ["SimulatorProgram"]),
        .executable(name: "measure-verification", targets: ["MeasureVerification"]),
    ],
    targets: [
        // The front door
        program("Run", everything),

        // The faces
        room("Gateway", ["Tenants", "Refunds", "HTTP", "Journal", "Time"]),
        room("Web", ["Tenants", "Refunds", "HTTP", "Journal", "Time"]),

        // The engine, and who it works for
        room(
            "Refunds",
            ["Tenants", "AppStore", "Queue", "Postgres", "Crypto", "HTTP", "Mail", "Journal", "Time"]),
        room("Tenants", ["Postgres", "Crypto", "Journal", "Time"]),

        // Plumbing
        pipe("AppStore", ["HTTP", "Crypto", "Journal", "Time"]),
        pipe("Queue", ["Postgres", "Loop", "Journal", "Time"]),
        pipe("Schema", ["Postgres", "Loop", "Journal"], resources: [.embedInCode("Migrations")]),
        pipe("Postgres", ["CPostgres", "Loop", "Journal", "Time"]),
        pipe("Crypto", ["COpenSSL", "Journal", "Time"]),
        pipe("HTTP", ["CCurl", "Loop", "Journal", "Time"]),
        pipe("Mail", ["CCurl", "Loop", "Journal", "Time"]),
        pipe("Loop", ["CLinux", "Journal", "Time"]),
        pipe("Journal", ["Time"]),
        pipe("Time"),
        library("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        .target(name: "CLinux", path: "Sources/Plumbing/CLinux"),

        // A small Apple
        room(
            "Simulator", ["HTTP", "Crypto", "Loop", "Journal", "Time"],
            path: "Sources/Simulator/SmallApple"),
        program(
            "SimulatorProgram", ["Simulator", "Journal", "Time"], path: "Sources/Simulator/Program"),

        // Tests
        .target(
            name: "Support", dependencies: (everything + ["Simulator"]).map { .byName(name: $0) },
            path: "Tests/Support", swiftSettings: house),
        program("MeasureVerification", ["AppStore", "Time"], path: "Tests/Measure"),
        tests("House", []),
        tests("Journal", ["Journal", "Time"]),
        tests("Loop", ["Loop", "Journal", "Time"]),
        tests("Postgres", ["Postgres", "Schema", "Loop", "Journal", "Time"]),
        tests("Crypto", ["Crypto", "Journal", "Time"]),
        tests("HTTP", ["HTTP", "Loop", "Journal", "Time"]),
        tests("Mail", ["Mail", "Journal", "Time"]),
        tests("AppStore", ["AppStore", "HTTP", "Crypto", "Loop", "Journal", "Time"]),
        tests("Queue", ["Queue", "Postgres", "Loop", "Journal", "Time"]),
        tests("Tenants", ["Tenants", "Postgres", "Crypto", "Loop", "Journal", "Time"]),
        tests("Refunds", everything + ["Simulator"]),
        tests("Gateway", everything + ["Simulator"]),
        tests("Web", everything + ["Simulator"]),
        tests("Run", everything + ["Run"]),
        tests("Simulator", ["Simulator", "HTTP", "Crypto", "Loop", "Journal", "Time"]),
        tests("Journey", everything + ["Simulator"]),
        tests("Browser", everything + ["Simulator"]),
    ],
    swiftLanguageModes: [.v6]
)
