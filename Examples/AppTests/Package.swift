// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AppTests",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In your own package: .package(url: "https://…/TrustLab", branch: "main")
    .package(name: "TrustLab", path: "../..")
  ],
  targets: [
    .testTarget(
      name: "AppTests",
      dependencies: [
        .product(name: "TrustLabTesting", package: "TrustLab"), .product(name: "URLLoading", package: "TrustLab"),
      ])
  ]
)
