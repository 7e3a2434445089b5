// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Tests are never optimised: 'make test' optimises the modules that they call.
let tested = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

/// A library module and its tests, one folder each; what only the tests need are oracles.
///
/// Every module that is imported is named, and not left to another that names it: what nobody names is not built anew when
/// it changes, and its old layout is read as the new one.
func module(
  _ name: String, _ dependencies: [Target.Dependency], oracles: [Target.Dependency] = [], excluding: [String] = []
) -> [Target] {
  [
    .target(name: name, dependencies: dependencies, swiftSettings: strict),
    .testTarget(
      name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "Oracles"] + dependencies + oracles,
      exclude: excluding, swiftSettings: tested),
  ]
}

/// What a connection is played with, and what shows it.
let played: [Target.Dependency] = [
  "Captures", "Cryptography", "Endpoint", "Explanation", "Laboratory", "PKIX", "TLS", "Trust", "URLLoading",
]
let shown = played + ["Advice", "Learning", "Rendering", "Scenarios", "Simulator"]

let package = Package(
  name: "TrustLab",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "trustlab", targets: ["trustlab"]),
    .library(name: "Cryptography", targets: ["Cryptography"]),
    .library(name: "PKIX", targets: ["PKIX"]),
    .library(name: "TLS", targets: ["TLS"]),
    .library(name: "Captures", targets: ["Captures"]),
    .library(name: "Trust", targets: ["Trust"]),
    .library(name: "URLLoading", targets: ["URLLoading"]),
    .library(name: "Advice", targets: ["Advice"]),
    .library(name: "Laboratory", targets: ["Laboratory"]),
    .library(name: "Simulator", targets: ["Simulator"]),
    .library(name: "Scenarios", targets: ["Scenarios"]),
    .library(name: "Learning", targets: ["Learning"]),
    .library(name: "Rendering", targets: ["Rendering"]),
    .library(name: "Site", targets: ["Site"]),
    .library(name: "Web", targets: ["Web"]),
    .library(name: "TrustLabTesting", targets: ["TrustLabTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CGMP", pkgConfig: "gmp", providers: [.apt(["libgmp-dev"]), .brew(["gmp"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
  ]
    + module("Explanation", [])
    + module(
      "Cryptography",
      [
        "CGMP", "Explanation",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        asn1,
      ], oracles: ["Laboratory"])
    + module("Wire", ["Explanation"])
    + module("PKIX", ["Cryptography", "Explanation", "Wire"], oracles: ["Laboratory", asn1])
    + module(
      "TLS",
      [
        "CZlib", "Cryptography", "Explanation", "Wire",
        .product(name: "HashTreeCollections", package: "swift-collections"),
      ], oracles: ["Laboratory"])
    + module("Captures", ["Cryptography", "Explanation", "TLS"], oracles: ["Laboratory"])
    + module("Trust", ["Cryptography", "Explanation", "PKIX"], oracles: ["Laboratory"])
    + module("URLLoading", ["Cryptography", "Explanation", "PKIX", "TLS", "Trust"], oracles: ["Laboratory"])
    + module("Advice", ["Cryptography", "Explanation", "PKIX", "TLS", "Trust", "URLLoading"])
    + module(
      "Endpoint", ["Cryptography", "Explanation", "PKIX", "TLS", "Trust", "URLLoading"], oracles: ["Laboratory"])
    + module(
      "LiveTLS",
      [
        "Captures", "Cryptography", "Endpoint", "Explanation", "PKIX", "TLS", "Trust", "URLLoading",
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], oracles: ["Laboratory", .product(name: "NIOEmbedded", package: "swift-nio")])
    + module("Laboratory", ["Cryptography", "Explanation", "PKIX", "TLS", "Trust"])
    + module("Simulator", played)
    + module("Scenarios", played + ["Advice", "Simulator", .product(name: "Yams", package: "Yams")])
    + module(
      "TrustLabTesting", ["Cryptography", "Explanation", "Laboratory", "Scenarios", "Simulator"],
      oracles: ["TLS", "URLLoading"])
    + module("Learning", played + ["Scenarios", "Simulator"])
    + module("Rendering", played + ["Advice", "Learning", "Scenarios", "Simulator"])
    + module(
      "Site", ["CZlib", "Explanation", "Learning", "Rendering", "Scenarios", "Simulator", "URLLoading"],
      oracles: ["Cryptography", "Laboratory"],
      excluding: ["Browser"])
    + module(
      "Web",
      [
        "LiveTLS",
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ])
    + [
      .executableTarget(
        name: "trustlab",
        dependencies: shown + [
          "LiveTLS", "Site", "Web", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: strict),
      .target(
        name: "Oracles", dependencies: ["Explanation", "Laboratory"], path: "Tests/Oracles", swiftSettings: strict),
      .executableTarget(
        name: "trustlab-bogo", dependencies: ["Cryptography", "Explanation", "PKIX", "TLS"], path: "Tests/Bogo",
        exclude: ["config.json", "runner.py"], swiftSettings: strict),
      .testTarget(
        name: "TrustLabTests", dependencies: shown + ["Site", "trustlab", "Oracles"], exclude: ["Transcripts"],
        swiftSettings: tested),
      .testTarget(
        name: "InteropTests", dependencies: shown + ["trustlab", "Oracles"],
        exclude: ["Differential", "Fixes", "Peers"], swiftSettings: tested),
    ]
)
