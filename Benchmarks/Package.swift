// swift-tools-version: 6.2
import PackageDescription

/// Our own modules.
func ours(_ name: String) -> Target.Dependency { .product(name: name, package: "TrustLab") }

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "TrustLab", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
  ],
  targets: [
    .target(
      name: "Peers", linkerSettings: [.linkedLibrary("gmp"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "Peers", ours("Cryptography"), ours("Laboratory"), ours("PKIX"), ours("Trust"), ours("TLS"), ours("Simulator"),
        ours("Scenarios"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
