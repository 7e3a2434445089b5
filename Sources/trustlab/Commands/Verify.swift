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
    commandName: "verify",
    abstract: "Evaluate a real certificate chain, and say everything that is wrong with it.",
    discussion: """
      The first certificate is the server's own; all others are candidates in any order. Files are PEM or DER, also \
      of several certificates, or PKCS #7; a folder stands for its files, and '-' is standard input. A certificate \
      that cannot be read is passed over and named. Without --at the chain is evaluated as of now.

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

      With --ndjson every line of standard input is a request, {"chain": ["MII…", …], "roots": ["MII…"], \
      "rootsFile": "roots.pem", "userRoots": […], "appRoots": […], "host": "api.example", "purpose": "server", \
      "at": "2026-01-31", "profile": "webpki", "os": "iOS 17", "crl": ["MII…"], "ocsp": ["MII…"], \
      "revocation": "hard-fail", "sct": ["AN8…"], "policy": ["2.23.140.1.2.1"], "id": 7}, of which only chain is needed, and every line of standard output its answer, in order. Certificates \
      and lists are PEM, or DER in base 64; roots and rootsFile exclude each other. What a request leaves out is as \
      the options say. A line that is none is answered with an error; the exit status is 0.

      Exit status: 0 accepted, 1 not accepted, 2 unreadable input.
      """)

  @Argument(help: ArgumentHelp("Files of certificates, the server's own first.", valueName: "chain"))
  var chain: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the chain that this server presents; its name is checked, unless --host names another.",
      valueName: "host:port"))
  var connect: String?

  @OptionGroup var waiting: TimeoutOptions

  @Option(parsing: .upToNextOption, help: "Files of roots that came with the system.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that the user installed and trusts.")
  var userRoots: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that the app trusts.")
  var appRoots: [String] = []

  @Option(help: "The host that was asked for; without it names are not checked.")
  var host: String?

  @Option(help: "What the certificate is for: server, client or any.")
  var purpose = TrustRequirements.Purpose.server

  @Option(help: "The date of evaluation: 2026-01-31 or 2026-01-31T12:00:00Z.")
  var at: String?

  @Option(help: "Whose demands: rfc5280, webpki (about lifetimes it only advises) or apple.")
  var profile = TrustProfile.apple

  @Option(help: "The operating system of the profile apple; iOS 18.4 unless said otherwise.")
  var os: String?

  @Option(
    parsing: .upToNextOption,
    help: "Files of revocation lists, which must tell about the leaf; about authorities they may.")
  var crl: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of one OCSP response each, as stapled or fetched.")
  var ocsp: [String] = []

  @Option(
    help: """
      What is done without a revocation status: none, soft-fail, hard-fail (in the profile apple about the server's \
      certificate alone), or as Apple's systems do where no app asks: apple.
      """)
  var revocation: RevocationMode?

  @Option(
    parsing: .upToNextOption, help: "Files of signed certificate timestamps that came beside the certificate.")
  var sct: [String] = []

  @Option(help: "A list of logs, in Apple's form or in Google's: by their keys and states timestamps are judged.")
  var ctLogs: String?

  @Flag(help: "Ask for a policy that is valid on the path, any where none is named (initial-explicit-policy).")
  var explicitPolicy = false

  @Flag(help: "Let no policy be mapped to another (initial-policy-mapping-inhibit).")
  var inhibitPolicyMapping = false

  @Flag(help: "Let anyPolicy stand for no policy (initial-any-policy-inhibit).")
  var inhibitAnyPolicy = false

  @Option(parsing: .upToNextOption, help: "Policies of which one must be valid on the path: 2.23.140.1.2.1.")
  var policy: [String] = []

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist: its pins and App Transport Security count too, for https loads of --host.",
      valueName: "file"))
  var plist: String?

  @OptionGroup var validation: ValidatorOptions

  @Option(help: "text or json.")
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
        "--ndjson takes its chains from standard input, and answers in JSON",
        hint: "leave the chain and --format out; other options hold for requests that do not say otherwise")
    }
    guard plist == nil else {
      throw Diagnostics("--plist judges one chain, not a stream of requests", hint: "leave out --plist, or --ndjson")
    }
    guard !(roots + userRoots + appRoots + crl + ocsp + sct + [ctLogs ?? ""]).contains("-") else {
      throw Diagnostics("requests are read from standard input", hint: "name a file instead of '-'")
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
      throw Diagnostics("whose settings count goes by the host", hint: "name it: --host api.example")
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
    try settings.checkSystem("--os")
    guard ctLogs == nil && sct.isEmpty || profile == .apple else {
      throw Diagnostics(
        "timestamps belong to the profile apple: \(profile.rawValue) asks for none",
        hint: "leave out --ct-logs and --sct, or take --profile apple")
    }
    settings.app = try plist.map { try AppSettings($0) }?.file.configuration
    return settings
  }

  private func checkChain() throws {
    if connect != nil, !chain.isEmpty {
      throw Diagnostics("--connect asks for the chain, and one was named", hint: "leave one of them out")
    }
    guard chain.isEmpty, connect == nil else { return }
    let swallowed = !(roots + userRoots + appRoots).isEmpty
    throw Diagnostics(
      "no chain was named",
      hint: swallowed
        ? "files after --roots are roots; name the chain first: trustlab verify CHAIN.pem --roots ROOT.pem"
        : "trustlab verify CHAIN.pem --roots ROOT.pem --host HOST")
  }
}

/// The wall clock, which only commands read.
enum Clock {
  /// This second.
  static var now: Instant { Instant(secondsSince1970: Int64(Date().timeIntervalSince1970.rounded(.down))) }
}

extension TrustRequirements.Purpose: ExpressibleByArgument {}
extension RevocationMode: ExpressibleByArgument {}
extension TrustProfile: ExpressibleByArgument {}
