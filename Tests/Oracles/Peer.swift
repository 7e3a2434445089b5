import Foundation
import Testing

/// A program of others that a test holds this one against.
///
/// A test says with `.needs(…)` what it cannot do without. Where that is missing the test is skipped, and its reason names
/// the package to install; where all peers are required it fails, so that green never means skipped.
public enum Peer: String, Sendable, CaseIterable {
  case openssl, gnuTLS, python, jsonschema, junitparser, websockets, prove, keytool, tshark, curl, libarchive

  /// Whether a missing peer is a failure: on CI, and where `TRUSTLAB_PEERS` is `required`.
  public static let areRequired: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return environment["TRUSTLAB_PEERS"] == "required" || !["", "0", "false"].contains(environment["CI"] ?? "")
  }()

  /// Whether it is installed.
  public var isInstalled: Bool {
    switch self {
    case .openssl: Self.found.openssl
    case .gnuTLS: Self.found.gnuTLS
    case .python: Python.interpreter() != nil
    case .jsonschema: Python.interpreter(having: "jsonschema") != nil
    case .junitparser: Python.interpreter(having: "junitparser") != nil
    case .websockets: Python.interpreter(having: "websockets") != nil
    case .prove: Self.found.prove
    case .keytool: Self.found.keytool
    case .tshark: Self.found.tshark
    case .curl: Self.found.curl
    case .libarchive: Self.found.libarchive
    }
  }

  /// What a skipped test says: what is missing, and where it comes from.
  var absence: String { "\(command) is not installed: it comes with \(package)" }

  private var command: String {
    switch self {
    case .gnuTLS: "gnutls-cli"
    case .python: "python3"
    case .jsonschema, .junitparser, .websockets: "python3's module \(rawValue)"
    case .openssl, .prove, .keytool, .tshark, .curl, .libarchive: rawValue
    }
  }

  /// The package of Debian that has it; `make setup-test` installs them all.
  private var package: String {
    switch self {
    case .openssl: "openssl"
    case .gnuTLS: "gnutls-bin"
    case .python: "python3"
    case .jsonschema: "python3-jsonschema"
    case .junitparser: "python3-junitparser"
    case .websockets: "python3-websockets"
    case .prove: "perl"
    case .keytool: "default-jre-headless"
    case .tshark: "tshark"
    case .curl: "curl"
    case .libarchive: "libarchive13"
    }
  }

  /// Each program is called once: macOS has commands of these names that only offer to install something.
  private static let found = (
    openssl: answers("openssl version"), gnuTLS: answers("gnutls-cli --version"), prove: answers("prove --version"),
    keytool: answers("keytool -help"), tshark: answers("tshark --version"), curl: answers("curl --version"),
    libarchive: libraries.contains { dlopen($0, RTLD_LAZY) != nil }
  )

  /// What libarchive is called on Debian and on macOS.
  private static let libraries: [String] = [
    "libarchive.so.13", "libarchive.13.dylib", "/usr/lib/libarchive.2.dylib",
  ]

  private static func answers(_ command: String) -> Bool { Command.output(["sh", "-c", command]) != nil }
}

extension Trait where Self == ConditionTrait {
  /// Cannot do without these programs.
  public static func needs(_ peers: Peer...) -> Self {
    let absent = peers.filter { !$0.isInstalled }.map(\.absence).joined(separator: "; ")
    return needs(absent) { absent.isEmpty }
  }

  /// Cannot do without a file or folder of the shared data.
  public static func needsData(_ path: String) -> Self {
    needs("\(path) is not there: it comes with the shared data, TRUSTLAB_VECTORS or ../shared/data") {
      SharedData.exists(path)
    }
  }

  /// Cannot do without something that peers make; `absence` says so where it is not there.
  public static func needs(_ absence: String, unless isThere: @escaping @Sendable () -> Bool) -> Self {
    .enabled("\(absence)") {
      if isThere() { return true }
      if Peer.areRequired { throw MissingPeer(description: absence) }
      return false
    }
  }
}

/// Why a test fails that could not be made where all peers are required.
struct MissingPeer: Error, CustomStringConvertible {
  let description: String
}
