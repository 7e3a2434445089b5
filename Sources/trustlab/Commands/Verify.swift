import ArgumentParser
import Explanation
import Foundation
import PKIX
import Rendering
import Scenarios
import Trust

/// The `trustlab verify` command.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Evaluate a real certificate chain, and report every problem.",
    discussion: """
      The first certificate is the server's own. All others are candidates for the chain, in any order. Files are PEM, \
      DER or PKCS #7, and can contain several certificates. For a folder, TrustLab reads all files in it; '-' is \
      standard input. TrustLab reports and skips a certificate that it cannot read. Without --at, it evaluates the \
      chain at the current time.

      With --revocation none, TrustLab does not check revocation. If a revocation status is missing, soft-fail accepts \
      the certificate and hard-fail refuses it. With the profile apple, hard-fail applies only to the server's \
      certificate. Without --revocation, TrustLab checks revocation only if you pass --crl or --ocsp. It then uses \
      hard-fail for the server's certificate, and soft-fail for CA certificates.

      Examples:
        trustlab verify chain.pem --roots root.pem --host api.example --at 2026-12-01
        trustlab verify leaf.pem ca.pem --roots root.pem --at 2026-12-01
        trustlab verify proxy-chain.pem --user-roots proxy.pem --os "iOS 12" \\
          --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --profile webpki --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --crl ca.crl --profile rfc5280 \\
          --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --ocsp response.der \\
          --revocation hard-fail --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --sct sct.bin \\
          --ct-logs log_list.json --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --validator basic-constraints \\
          --at 2026-12-01
        trustlab verify chain.pem --roots root.pem --host api.example \\
          --plist Info.plist --os "iOS 17" --at 2026-12-01
        trustlab verify --connect api.example:443 \\
          --roots /etc/ssl/certs/ca-certificates.crt
        trustlab verify --ndjson --roots roots.pem < chains.ndjson > results.ndjson
        trustlab verify --ndjson --members verdict because < chains.ndjson
        openssl s_client -connect HOST:443 -showcerts </dev/null |
          trustlab verify - --roots /etc/ssl/certs/ca-certificates.crt --host HOST

      With --ndjson, each line of standard input is a request, and each line of standard output is its response, in \
      order. A request looks like this: {"chain": ["MII…", …], "roots": ["MII…"], "rootsFile": "roots.pem", \
      "userRoots": […], "appRoots": […], "host": "api.example", "purpose": "server", "at": "2026-01-31", "profile": \
      "webpki", "os": "iOS 17", "crl": ["MII…"], "ocsp": ["MII…"], "revocation": "hard-fail", "sct": ["AN8…"], \
      "policy": ["2.23.140.1.2.1"], "id": 7}. Only chain is required; pass either roots or rootsFile, but not both. \
      Certificates and CRLs are PEM, or DER in base64. For members that a request leaves out, the command's options \
      apply. The response to an invalid line contains an error; the exit status remains 0.

      Exit status: 0 accepted, 1 not accepted, 2 unreadable input.
      """)

  @Argument(help: ArgumentHelp("The certificate files. The server's certificate must come first.", valueName: "chain"))
  var chain: [String] = []

  @Option(
    help: ArgumentHelp(
      "The server to get the chain from. TrustLab checks its name, unless --host gives another name.",
      valueName: "host:port"))
  var connect: String?

  @OptionGroup var waiting: TimeoutOptions

  @Option(parsing: .upToNextOption, help: "The files that contain the system's root certificates.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "The files of root certificates that the user installed and trusts.")
  var userRoots: [String] = []

  @Option(parsing: .upToNextOption, help: "The files of root certificates that the app trusts.")
  var appRoots: [String] = []

  @Option(help: "The host that the client connects to. Without it, TrustLab does not check names.")
  var host: String?

  @Option(help: "The purpose of the certificate: server, client or any.")
  var purpose = TrustRequirements.Purpose.server

  @Option(help: "The date of evaluation: 2026-01-31 or 2026-01-31T12:00:00Z.")
  var at: String?

  @Option(help: "The requirements to check: rfc5280, webpki (lifetime limits are only advice) or apple.")
  var profile = TrustProfile.apple

  @Option(help: "The operating system for the profile apple. Default: iOS 18.4.")
  var os: String?

  @Option(
    parsing: .upToNextOption,
    help: "The CRL files. They must cover the leaf certificate; CRLs for CA certificates are optional.")
  var crl: [String] = []

  @Option(parsing: .upToNextOption, help: "The OCSP response files, one response each.")
  var ocsp: [String] = []

  @Option(
    help: """
      How to treat a missing revocation status: none, soft-fail, hard-fail, or apple (as Apple's systems do by default).
      """)
  var revocation: RevocationMode?

  @Option(
    parsing: .upToNextOption, help: "The files of SCTs that the server sends separately from the certificate.")
  var sct: [String] = []

  @Option(help: "The CT log list, in Apple's or Google's format, for checking SCTs.")
  var ctLogs: String?

  @Flag(help: "Require a valid certificate policy on the path (initial-explicit-policy).")
  var explicitPolicy = false

  @Flag(help: "Do not allow policy mappings (initial-policy-mapping-inhibit).")
  var inhibitPolicyMapping = false

  @Flag(help: "Do not let anyPolicy match other policies (initial-any-policy-inhibit).")
  var inhibitAnyPolicy = false

  @Option(
    parsing: .upToNextOption,
    help: "The accepted certificate policies, such as 2.23.140.1.2.1. At least one must be valid on the path.")
  var policy: [String] = []

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist. Its pins and App Transport Security settings apply to https loads from --host.",
      valueName: "file"))
  var plist: String?

  @OptionGroup var validation: ValidatorOptions

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @OptionGroup var stream: RecordStreamOptions

  @OptionGroup var styling: StyleOptions

  func run() throws {
    try stream.check(among: VerifyView.memberNames)
    if stream.ndjson { return try answerRequests() }
    try checkChain()
    var settings = try settings()
    let certificates: [Certificate]
    if let connect {
      let place = try LivePlace(connect, serverName: host)
      settings.host = place.url.host
      certificates = try LiveSite.chain(of: place, timeout: waiting.timeout)
    } else {
      certificates = try CertificateFiles.certificates(in: chain, needsFirst: true) { settings.unreadable.append($0) }
    }
    let view = VerifyView(settings.question(about: certificates))
    Console.out(format == .json ? view.json().text(pretty: true) : view.document().text(styling.style))
    if !view.isAccepted { throw NotAsExpected() }
  }

  private func answerRequests() throws {
    guard chain.isEmpty, connect == nil, format == .text else {
      throw Diagnostics(
        "--ndjson reads chains from standard input, and writes only JSON",
        hint: "remove the chain files, --connect and --format")
    }
    guard plist == nil else {
      throw Diagnostics("--plist does not work with --ndjson", hint: "remove --plist or --ndjson")
    }
    guard !(roots + userRoots + appRoots + crl + ocsp + sct + [ctLogs ?? ""]).contains("-") else {
      throw Diagnostics(
        "'-' does not work with --ndjson, which reads requests from standard input", hint: "pass a file instead of '-'")
    }
    let settings = try settings()
    let files = RootFiles()
    let example = #"{"chain": ["MII…"], "roots": ["MII…"], "host": "api.example"}"#
    try RecordStream.answer(members: stream.members, example: example) {
      try VerifyRequest($0, usual: settings, files: files).answer
    }
  }

  private func settings() throws -> VerifySettings {
    if plist != nil, host == nil, connect == nil {
      throw Diagnostics("--plist requires --host", hint: "add --host api.example")
    }
    var settings = VerifySettings(
      roots: try CertificateFiles.certificates(in: roots), userRoots: try CertificateFiles.certificates(in: userRoots),
      appRoots: try CertificateFiles.certificates(in: appRoots), host: try host.map(VerifySettings.host),
      purpose: purpose, date: try at.map(VerifySettings.date), profile: profile, os: try os.map(OSVersion.named),
      lists: try CertificateFiles.lists(in: crl), policies: try VerifySettings.policies(policy),
      mutant: try validation.mutant(ofValidatorsIn: "verify"))
    settings.answers = try CertificateFiles.answers(in: ocsp)
    settings.revocation = revocation
    settings.timestamps = try CertificateFiles.timestamps(in: sct)
    settings.logs = try ctLogs.map(CertificateFiles.logs)
    settings.requiresExplicitPolicy = explicitPolicy
    settings.inhibitsPolicyMapping = inhibitPolicyMapping
    settings.inhibitsAnyPolicy = inhibitAnyPolicy
    try settings.checkSystem("--os", "--profile")
    guard ctLogs == nil && sct.isEmpty || profile == .apple else {
      throw Diagnostics(
        "--ct-logs and --sct require the profile apple; \(profile.rawValue) does not check SCTs",
        hint: "remove --ct-logs and --sct, or use --profile apple")
    }
    settings.app = try plist.map { try AppSettings($0) }?.file.configuration
    return settings
  }

  private func checkChain() throws {
    if connect != nil, !chain.isEmpty {
      throw Diagnostics(
        "--connect gets the chain from the server, so chain files have no effect",
        hint: "remove --connect or the chain files")
    }
    guard chain.isEmpty, connect == nil else { return }
    let swallowed = !(roots + userRoots + appRoots).isEmpty
    throw Diagnostics(
      "no certificate chain given",
      hint: swallowed
        ? "put the chain before --roots: trustlab verify CHAIN.pem --roots ROOT.pem"
        : "pass the chain: trustlab verify CHAIN.pem --roots ROOT.pem --host HOST")
  }
}

/// The system clock, which only commands read.
enum Clock {
  /// The current time, in whole seconds.
  static var now: Instant { Instant(secondsSince1970: Int64(Date().timeIntervalSince1970.rounded(.down))) }
}

extension TrustRequirements.Purpose: ExpressibleByArgument {}
extension RevocationMode: ExpressibleByArgument {}
extension TrustProfile: ExpressibleByArgument {}
