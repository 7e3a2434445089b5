import ArgumentParser
import Captures
import Cryptography
import Endpoint
import Explanation
import Foundation
import LiveTLS
import PKIX
import Rendering
import Scenarios
import Simulator
import TLS
import Trust
import URLLoading

/// The `trustlab connect` command.
struct Connect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Connect to a real server, and show the handshake as 'trustlab run' shows a connection.",
    discussion: """
      Examples:
        trustlab connect api.example:443
        trustlab connect localhost:4433 --server-name api.example --roots roots.pem \\
          --depth fields
        trustlab connect api.example --plist Info.plist --os "iOS 17"
        trustlab connect api.example:443 --save api.yaml && trustlab test api.yaml
        trustlab connect mail.example:587 --starttls smtp

      TrustLab connects like the client of a scenario, with the system of --os and the app settings of --plist. It \
      uses random numbers from this machine, and evaluates certificates at the current time or at the date of --now. \
      It reports every fault, not only the first. If the server refuses the offer that App Transport Security allows, \
      TrustLab probes it with the system's full offer.

      If a server refuses the certificate of --identity, the client receives only an alert. TrustLab reports the \
      violated rule if the alert identifies it.

      The options --versions and --suites replace the system's versions and suites. App Transport Security still \
      restricts them. If it leaves none, TrustLab refuses the load and sends nothing.

      The option --roots replaces the system's roots; without it, TrustLab uses this machine's roots. With --save, \
      TrustLab writes a scenario with the chain, version, suite and roots, and puts the certificates in files next to \
      it. TrustLab does not have the server's private key, so the saved server signs with another key. TrustLab saves \
      the server's request for a client certificate only if you did not pass --identity. The client sends one GET \
      request, over HTTP/2 if the server selects h2, and otherwise over HTTP/1.1. TrustLab prints the status of the \
      response next to the verdict. A status such as 404 does not change the verdict, which is about TLS and trust.

      Exit status: 0 accepted; 1 refused, hangs or not-applicable; 2 no connection, or no TLS.
      """)

  @Argument(
    help: ArgumentHelp("The server: HOST, HOST:PORT or an https:// URL. Default port: 443.", valueName: "host:port"))
  var place: String

  @Option(help: "The server name to send and check, if HOST is only the address to connect to.")
  var serverName: String?

  @Option(help: "The operating system of the client.")
  var os = "iOS 18.4"

  @Option(help: ArgumentHelp("The app's Info.plist; - is standard input.", valueName: "file"))
  var plist: String?

  @Option(parsing: .upToNextOption, help: "The files that contain the system's root certificates.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "The files of root certificates that the user installed and trusts.")
  var userRoots: [String] = []

  @Option(help: "The date of evaluation, in UTC. Default: the current time.")
  var now: String?

  @Option(help: "The PKCS #12 file with the client's certificate, if the server requests one.")
  var identity: String?

  @Option(help: "The passphrase of the PKCS #12 file.")
  var passphrase = ""

  @Option(help: "The TLS versions to offer instead of the system's, such as TLSv1.0,TLSv1.2.")
  var versions: String?

  @Option(help: "The cipher suites to offer instead of the system's: registered names, separated by commas.")
  var suites: String?

  @Option(help: "The mail protocol in which the client requests TLS: smtp or imap.")
  var starttls: StartTLS.Carrier?

  @Option(
    help: ArgumentHelp(
      "The file to save this connection to, as a scenario. TrustLab writes the certificates next to it.",
      valueName: "file")
  )
  var save: String?

  @OptionGroup var waiting: TimeoutOptions
  @OptionGroup var view: ViewOptions
  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    try view.check()
    try capture.check(output: output.output)
    if save == "-" {
      throw Diagnostics("--save cannot write to standard output", hint: "pass a file: --save api.yaml")
    }
    if let save { try Self.checkAbsent(save) }
    let place = try LivePlace(place, serverName: serverName, starttls: starttls)
    let date = try now.map(VerifySettings.date) ?? Clock.now
    var scenario = LiveScenario(
      name: save.map(Self.stem) ?? "live", url: place.url, place: place.description, os: try .named(os),
      loader: starttls == nil ? .urlSession : .networkFramework, date: date)
    scenario.isNow = now == nil
    scenario.infoPlist = try plist.map { path in
      let bytes = try AppSettings.bytes(path)
      // Errors in the property list must name the user's file, not its name in the scenario.
      _ = try InfoPlistFile(bytes, path: path, settings: .init())
      return bytes
    }
    scenario.identity = try identity.map { try Self.identity($0, passphrase, scenario.os) }
    let store = try LiveRoots.store(roots, user: userRoots)
    let client = try configuration(scenario, store)
    var inquiry = LiveInquiry(client: LiveClient(place.destination))
    inquiry.client.timeout = waiting.timeout
    inquiry.client.keepsTraffic = capture.pcap != nil
    inquiry.app =
      try scenario.infoPlist.map { try InfoPlistFile($0, path: plist ?? "", settings: .init()).configuration } ?? .empty
    let result = try inquiry.ask(client)
    try write(result.conversation)
    let shown = try show(result, &scenario, store)
    if scenario.anchors.isEmpty { scenario.anchors = LiveRoots.kept(store, for: scenario.server?.chain ?? []) }
    if let save {
      try self.save(scenario, as: save, shown, result.conversation.clientAuthentication)
      if let content = result.conversation.client.content, Self.kept(content) == nil {
        Console.complain(
          "note: the response (\(content.count) bytes) is not saved: a scenario contains only UTF-8 text of "
            + "at most \(Self.longestContent) bytes"
        )
      }
    }
    try output.write(view.text(of: RunView(shown), output.style(styling)))
    if shown.outcome.verdict.word != .accepted { throw NotAsExpected() }
  }

  /// Returns the client's configuration, as in a scenario, with these roots.
  private func configuration(
    _ scenario: LiveScenario, _ store: TrustStore
  ) throws -> ClientEndpoint.Configuration {
    let cast = try scenario.cast(Workbench.keys)
    guard var client = try cast.player.simulation(of: cast.scenario).plans.first?.client else {
      throw Diagnostics("no URL to load", hint: "pass a host: trustlab connect api.example:443")
    }
    client.decide()
    client.tls.applicationProtocols = client.offer?.applicationProtocols ?? []
    client.trust.requirements.store = store
    client.trust.diagnostics.names = .common
    client.trust.requirements.transparency.countsUnverified = roots.isEmpty && userRoots.isEmpty
    client.followsRedirects = false
    client.fallback = nil
    client.asksForContent = starttls == nil
    if starttls != nil { client.tls.applicationProtocols = [] }
    if versions != nil || suites != nil { try name(in: &client) }
    return client
  }

  /// Sets the versions and suites of the options, restricted by App Transport Security.
  private func name(in client: inout ClientEndpoint.Configuration) throws {
    let (versions, suites) = (try versions.map(ProtocolVersion.listed), try suites.map(CipherSuite.listed))
    var named = client.offerWithoutATS
    named.versions = versions ?? named.versions
    // RFC 5746 section 3.4: a ClientHello without `renegotiation_info` needs the SCSV.
    let signals = named.cipherSuites.filter(\.isSignalling)
    named.cipherSuites = suites.map { $0 + signals } ?? named.cipherSuites
    let usable = ProtocolVersion.implemented.filter { version in
      named.versions.contains(version)
        && named.cipherSuites.contains { !$0.isSignalling && $0.isUsable(in: version) }
    }
    guard let oldest = usable.first, let newest = usable.last else {
      throw Diagnostics(
        "none of the cipher suites works with \(named.versions.words)",
        hint: "choose other suites or newer versions: suites with GCM, ChaCha20 or SHA-2 require TLSv1.2")
    }
    // A version without a suite, or a suite without its version, could only make the server refuse the offer.
    named.versions = oldest...newest
    named.cipherSuites.removeAll { suite in !suite.isSignalling && !usable.contains(where: suite.isUsable) }
    if newest < .tls13 { named.leaveOutTLS13() }
    client.namedOffer = named
    // If no suite is left, the client reports this and sends nothing.
    guard let left = client.decision.narrowing(named) else { return }
    (client.tls.versions, client.tls.cipherSuites, client.tls.groups) = (left.versions, left.cipherSuites, left.groups)
    var taken = (suites ?? []).filter { !left.cipherSuites.contains($0) }.map(\.name)
    if versions != nil, named.versions.lowerBound < left.versions.lowerBound {
      taken.append("versions before \(left.versions.lowerBound)")
    }
    guard !taken.isEmpty else { return }
    Console.complain("note: App Transport Security removes these from the offer: \(taken.joined(separator: ", "))")
  }

  /// Reads the PKCS #12 file at `path`, which the app of `os` imports with this passphrase.
  ///
  /// - Throws: `Diagnostics` if the file is not a PKCS #12 file.
  private static func identity(
    _ path: String, _ passphrase: String, _ os: OSVersion
  ) throws -> (name: String, file: [UInt8], passphrase: String) {
    let name = path == "-" ? "identity.p12" : path.split(separator: "/").last.map(String.init) ?? path
    let bytes = try AppSettings.bytes(path, "a PKCS #12 file")
    // RFC 7292 section 4: a PFX is a SEQUENCE.
    guard bytes.first == 0x30 else {
      throw Diagnostics(
        "'\(path)' is not a PKCS #12 file",
        hint: "convert PEM files with: openssl pkcs12 -export -in cert.pem -inkey key.pem -out me.p12")
    }
    let imported = PKCS12Import(bytes, passphrase: passphrase, os: os, name: name)
    if let limit = imported.limit {
      throw Diagnostics(
        "cannot open '\(path)': \(limit)",
        hint: "\(os) may treat the file differently; create it again: openssl pkcs12 -export -iter 2048")
    }
    for bag in imported.unused { Console.complain("note: \(name): \(bag) is ignored") }
    if imported.findings.contains(where: { $0.rule == .badPassphrase && $0.refuses }) {
      let said = passphrase.isEmpty ? "an empty passphrase" : "this passphrase"
      Console.complain("note: cannot open \(name) with \(said); pass the right one with --passphrase")
    }
    return (name, bytes, passphrase)
  }

  /// Returns the connection as a played case.
  private func show(
    _ result: LiveInquiry.Result, _ scenario: inout LiveScenario, _ store: TrustStore
  ) throws -> CaseResult {
    let client = result.conversation.client
    if let path = client.evaluation?.path, let anchor = path.last, let kind = store.kind(of: anchor) {
      scenario.anchors = [(anchor, kind)]
    }
    scenario.server = result.shown.flatMap { LiveScenario.Server($0, answer: Self.kept(client.content)) }
    let cast = try scenario.cast(Workbench.keys)
    var world = try cast.player.simulation(of: cast.scenario).world
    world.names = .common
    let simulation = Simulation(
      result.conversation.moments.map { ($0.at, $0.effects) }, of: client, in: world,
      conclusions: result.conclusions, isServerKnown: scenario.server != nil)
    var shown = cast.player.judge(simulation, as: cast.scenario)
    shown.judgement = Judgement(skippedBecause: "there is no expectation for a real server")
    return shown
  }

  /// The maximum size in bytes of a response that is saved in a scenario.
  private static let longestContent = 4096

  /// Returns the part of a response to save in the scenario; nil for none.
  private static func kept(_ content: [UInt8]?) -> String? {
    content.flatMap { $0.count > longestContent ? nil : String(validating: $0, as: UTF8.self) }
  }

  private static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return [".yaml", ".yml"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
  }

  private func write(_ conversation: LiveConversation) throws {
    if let pcap = capture.pcap {
      var packets = PacketCapture()
      do throws(CaptureError) { try packets.append([conversation.flow], from: Clock.now) } catch {
        throw Diagnostics(error.message, hint: error.hint)
      }
      try OutputFile.write(packets.bytes, to: pcap)
      Console.complain("wrote \(pcap): \(packets.packetCount) packets")
    }
    guard let path = capture.keylog else { return }
    let log = conversation.keyLog
    try OutputFile.write(Array(log.text.utf8), to: path, isSecret: true)
    Console.complain(
      "wrote \(path): the secrets of \(log.handshakeCount) \(log.handshakeCount == 1 ? "handshake" : "handshakes")")
  }

  /// Refuses to overwrite an existing file, because the user may have edited a saved scenario.
  private static func checkAbsent(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("the file '\(path)' already exists", hint: "choose another name, or delete the file first")
    }
  }

  /// Writes the scenario and its files, and reports differences from the real connection.
  ///
  /// `asking` states whether and how the server requests a client certificate.
  private func save(
    _ scenario: LiveScenario, as path: String, _ view: CaseResult, _ asking: ClientAuthentication
  ) throws {
    guard scenario.server?.chain.isEmpty == false else {
      return Console.complain("note: no scenario is saved, because the server sent no readable certificate")
    }
    var saved = scenario
    saved.identity = nil
    saved.server?.clientAuthentication = asking
    let cast = try saved.cast(Workbench.keys)
    let replayed = try cast.player.play(cast.scenario).outcome.verdict
    if replayed.word != view.outcome.verdict.word {
      return Console.complain(
        "note: no scenario is saved: its result would be '\(replayed.word.rawValue)', because it cannot "
          + "contain the cause"
      )
    }
    saved.expectation = replayed
    if Set(replayed.because.map(\.id)) != Set(view.outcome.verdict.because.map(\.id)) {
      saved.live = view.outcome.verdict
      let reasons = [replayed, view.outcome.verdict].map { verdict in
        verdict.because.isEmpty ? "none" : verdict.because.map(\.id).joined(separator: ", ")
      }
      let isOfIdentity = view.outcome.verdict.because.contains { [.pkcs12, .clientAuth].contains($0.layer) }
      Console.complain(
        "note: the saved scenario gives different reasons: \(reasons[0]) instead of \(reasons[1]). "
          + (isOfIdentity
            ? "The client's identity is not saved."
            : "Its root may be missing, because only a few likely roots are saved. To include it, pass a file with only "
              + "that root to --roots."))
    }
    if identity != nil, asking == .none {
      Console.complain("note: neither the client's identity nor the server's request for it is saved")
    }
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let files = saved.files.sorted { $0.key < $1.key }.map { name, bytes in
      (path: folder.isEmpty && !path.hasPrefix("/") ? name : "\(folder)/\(name)", bytes: bytes)
    }
    for file in files { try Self.checkAbsent(file.path) }
    for file in files { try OutputFile.write(file.bytes, to: file.path) }
    let text = try ScenarioFormat.text(of: Array(saved.text.utf8), path: path)
    try OutputFile.write(Array(text.utf8), to: path)
    Console.complain("wrote \(path): play it with 'trustlab test \(Console.word(path))'")
  }
}

extension StartTLS.Carrier: ExpressibleByArgument {}
