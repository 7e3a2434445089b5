// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "TrustLab", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(name: "Peers", linkerSettings: [.linkedLibrary("gmp"), .linkedLibrary("crypto")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "Peers",
        .product(name: "Cryptography", package: "TrustLab"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
