import ArgumentParser
import Explanation
import Foundation
import PKIX
import Rendering
import Scenarios
import Trust

/// `trustlab verify`
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Evaluate a real certificate chain, and say everything that is wrong with it.",
    discussion: """
      The first certificate is the server's own; all others are candidates in any order. Files are PEM or DER, and \
      '-' is standard input. Without --at the chain is evaluated as of now.

      Examples:
        trustlab verify chain.pem --roots root.pem --host api.example
        trustlab verify leaf.pem ca.pem --roots /etc/ssl/certs/ca-certificates.crt
        trustlab verify chain.pem --user-roots proxy.pem --os "iOS 12"
        trustlab verify chain.pem --roots root.pem --profile webpki --at 2026-01-31
        trustlab verify chain.pem --roots root.pem --crl ca.crl --profile rfc5280
        openssl s_client -connect HOST:443 -showcerts </dev/null |
          trustlab verify - --roots /etc/ssl/certs/ca-certificates.crt --host HOST

      Exit status: 0 accepted, 1 not accepted, 2 unreadable input.
      """)

  @Argument(help: ArgumentHelp("Files of certificates, the server's own first.", valueName: "chain"))
  var chain: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that came with the system.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that the user installed and trusts.")
  var userRoots: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that the app trusts.")
  var appRoots: [String] = []

  @Option(help: "The host that was asked for; without it names are not checked.")
  var host: String?

  @Option(help: "What the certificate is for: server, client or any.")
  var purpose = TrustPolicy.Purpose.server

  @Option(help: "The date of evaluation: 2026-01-31 or 2026-01-31T12:00:00Z.")
  var at: String?

  @Option(help: "Whose demands: rfc5280, webpki or apple.")
  var profile = TrustProfile.apple

  @Option(help: "The operating system of the profile apple; iOS 18.4 unless said otherwise.")
  var os: String?

  @Option(
    parsing: .upToNextOption,
    help: "Files of revocation lists, which must tell about the leaf; about authorities they may.")
  var crl: [String] = []

  @Option(parsing: .upToNextOption, help: "Policies of which one must be valid on the path: 2.23.140.1.2.1.")
  var policy: [String] = []

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let view = VerifyView(try question())
    Console.out(format == .json ? view.json().text(pretty: true) : view.document().text(styling.style))
    if !view.isAccepted { throw NotAsExpected() }
  }

  private func question() throws -> VerifyView.Question {
    try checkArguments()
    let policy = try (os: system(), date: date())
    let given = try CertificateFiles.certificates(in: chain)
    let system = try CertificateFiles.certificates(in: roots)
    let user = try CertificateFiles.certificates(in: userRoots)
    let app = try CertificateFiles.certificates(in: appRoots)
    var asked = TrustPolicy(
      profile: profile, os: policy.os, purpose: purpose, date: policy.date,
      store: TrustStore(system: system, user: user, app: app), revocation: try revocation(),
      names: .distinct(given + system + user + app))
    if !self.policy.isEmpty {
      asked.inputs.initialPolicies = try policies()
      asked.inputs.requiresExplicitPolicy = true
    }
    return VerifyView.Question(chain: given, host: host, policy: asked, isNow: at == nil)
  }

  private func checkArguments() throws {
    if chain.isEmpty {
      let swallowed = !(roots + userRoots + appRoots).isEmpty
      throw Complaint(
        message: "no chain was named",
        hint: swallowed
          ? "files after --roots are roots; name the chain first: trustlab verify CHAIN.pem --roots ROOT.pem"
          : "trustlab verify CHAIN.pem --roots ROOT.pem --host HOST")
    }
    if let host, !isHost(host) {
      throw Complaint(
        message: "'\(host)' is not a host",
        hint: "write a name or an address alone: api.example, 192.0.2.1, 2001:db8::1")
    }
    if os != nil, profile != .apple {
      throw Complaint(
        message: "--os belongs to the profile apple, not to \(profile.rawValue)",
        hint: "leave one of --os and --profile out")
    }
  }

  private func revocation() throws -> RevocationPolicy {
    guard !crl.isEmpty else { return .none }
    var revocation = RevocationPolicy(.hardFail)
    revocation.modeForAuthorities = .softFail
    revocation.lists = try CertificateFiles.lists(in: crl)
    return revocation
  }

  private func policies() throws -> Set<OID> {
    Set(
      try policy.map { text in
        guard let oid = OID(text) else {
          throw Complaint(message: "'\(text)' is no policy", hint: "write an object identifier: 2.23.140.1.2.1")
        }
        return oid
      })
  }

  /// A URL or a port beside the name is the usual slip.
  private func isHost(_ text: String) -> Bool {
    switch RequestedHost(text) {
    case .address: true
    case .name(let name): !name.contains { "/:@?#".contains($0) }
    case .invalid: false
    }
  }

  private func system() throws -> OSVersion? {
    guard profile == .apple else { return nil }
    guard let os else { return OSVersion(.iOS, 18, 4) }
    return try .named(os)
  }

  /// The only place where a clock is read.
  private func date() throws -> Instant {
    guard let at else { return Clock.now }
    guard let date = Instant(at) else {
      throw Complaint(message: "'\(at)' is not a date", hint: "write 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
    }
    return date
  }
}

/// The wall clock, which only commands read.
enum Clock {
  /// This second.
  static var now: Instant { Instant(secondsSince1970: Int64(Date().timeIntervalSince1970.rounded(.down))) }
}

extension TrustPolicy.Purpose: ExpressibleByArgument {}
extension TrustProfile: ExpressibleByArgument {}
