import Foundation
import Testing

/// Another program whose results a test compares with TrustLab's.
///
/// A test lists its programs in `.needs(…)`. If one is missing, the test is skipped, and the reason names the package
/// to install. If all peers are required, the test fails instead, so a pass never hides a skip.
public enum Peer: String, Sendable, CaseIterable {
  case openssl, gnuTLS, python, jsonschema, junitparser, websockets, prove, keytool, tshark, curl, nghttpd, libarchive

  /// Whether a missing peer is a failure: on CI, and if `TRUSTLAB_PEERS` is `required`.
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
    case .nghttpd: Self.found.nghttpd
    case .libarchive: Self.found.libarchive
    }
  }

  /// The reason of a skipped test: the missing program, and its package.
  var absence: String { "\(command) is not installed: it comes with \(package)" }

  private var command: String {
    switch self {
    case .gnuTLS: "gnutls-cli"
    case .python: "python3"
    case .jsonschema, .junitparser, .websockets: "python3's module \(rawValue)"
    case .openssl, .prove, .keytool, .tshark, .curl, .nghttpd, .libarchive: rawValue
    }
  }

  /// The Debian package that contains it; `make setup-test` installs them all.
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
    case .nghttpd: "nghttp2-server"
    case .libarchive: "libarchive13"
    }
  }

  /// Each program is called once: macOS has commands of these names that only offer to install something.
  private static let found = (
    openssl: answers("openssl version"), gnuTLS: answers("gnutls-cli --version"), prove: answers("prove --version"),
    keytool: answers("keytool -help"), tshark: answers("tshark --version"), curl: answers("curl --version"),
    nghttpd: answers("nghttpd --version"), libarchive: libraries.contains { dlopen($0, RTLD_LAZY) != nil }
  )

  /// The names of libarchive on Debian and on macOS.
  private static let libraries: [String] = [
    "libarchive.so.13", "libarchive.13.dylib", "/usr/lib/libarchive.2.dylib",
  ]

  private static func answers(_ command: String) -> Bool { Command.output(["sh", "-c", command]) != nil }
}

extension Trait where Self == ConditionTrait {
  /// Requires these programs.
  public static func needs(_ peers: Peer...) -> Self {
    let absent = peers.filter { !$0.isInstalled }.map(\.absence).joined(separator: "; ")
    return needs(absent) { absent.isEmpty }
  }

  /// Requires a file or folder of the shared data.
  public static func needsData(_ path: String) -> Self {
    needs("\(path) is not there: it comes with the shared data, TRUSTLAB_VECTORS or ../shared/data") {
      SharedData.exists(path)
    }
  }

  /// Requires a product of peers; `absence` is the reason if it is missing.
  public static func needs(_ absence: String, unless isThere: @escaping @Sendable () -> Bool) -> Self {
    .enabled("\(absence)") {
      if isThere() { return true }
      if Peer.areRequired { throw MissingPeer(description: absence) }
      return false
    }
  }
}

/// The failure of a test that could not run although all peers are required.
struct MissingPeer: Error, CustomStringConvertible {
  let description: String
}
