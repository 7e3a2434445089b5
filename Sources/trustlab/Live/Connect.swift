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

/// `trustlab connect`
struct Connect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Shake hands with a real server, and show it like a run.",
    discussion: """
      Examples:
        trustlab connect api.example:443
        trustlab connect localhost:4433 --server-name api.example --roots roots.pem \\
          --depth fields
        trustlab connect api.example --plist Info.plist --os "iOS 17"
        trustlab connect api.example:443 --save api.yaml && trustlab test api.yaml
        trustlab connect mail.example:587 --starttls smtp

      The client is the one of --os with the app of --plist, as in a scenario; its randomness is the system's, its \
      certificates are judged as of this machine's clock, the only place where that counts, or as of --now. Every fault \
      is named, not the first alone. Where the server refuses what App Transport Security leaves of the offer, one probe \
      asks with the system's own; where it refuses TLS 1.2, one asks with TLS 1.3, which is not modelled: what a system \
      with TLS 1.3 makes of a server that speaks nothing else is not known, and not-applicable.

      Where a server refuses the certificate of --identity, its alert is all that a client learns: the rule is named \
      where the alert tells one.

      --versions and --suites take the place of the system's own. App Transport Security narrows them too; where it \
      leaves nothing of them the load is refused, and nothing is sent.

      --roots stand for the system's; without them this machine's are taken. --save writes the chain, the version, \
      the suite, and the roots, as a scenario, with the certificates in files beside it; whose private key nobody here \
      has, for whom a stand-in signs. That the server asks who the client is is written only where --identity shows \
      nothing. HTTP/1.1 is spoken inside, one GET.

      Exit status: 0 accepted; 1 refused, hanging or not-applicable; 2 nobody there, or no TLS.
      """)

  @Argument(help: ArgumentHelp("HOST, HOST:PORT or an https:// URL; port 443 if left out.", valueName: "host:port"))
  var place: String

  @Option(help: "The host that is meant, where HOST is only where it is found: the name that is asked for and checked.")
  var serverName: String?

  @Option(help: "The system that connects.")
  var os = "iOS 18.4"

  @Option(help: ArgumentHelp("The app's Info.plist; - is standard input.", valueName: "file"))
  var plist: String?

  @Option(parsing: .upToNextOption, help: "Files of roots that came with the system.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "Files of roots that the user installed and trusts.")
  var userRoots: [String] = []

  @Option(help: "The date of evaluation, in UTC; this machine's clock if left out.")
  var now: String?

  @Option(help: "A file of PKCS #12 to show where the server asks who the client is.")
  var identity: String?

  @Option(help: "The passphrase of that file.")
  var passphrase = ""

  @Option(help: "The versions on offer in place of the system's: TLSv1.0,TLSv1.2")
  var versions: String?

  @Option(help: "The cipher suites on offer in place of the system's, by their registered names, with commas.")
  var suites: String?

  @Option(help: "Speak this before TLS: smtp or imap.")
  var starttls: StartTLS.Carrier?

  @Option(help: ArgumentHelp("Write what was shown as a scenario, and its certificates beside it.", valueName: "file"))
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
      throw Diagnostics("--save writes several files, and '-' names none", hint: "write --save api.yaml")
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
      // What is wrong with it is said of the user's file, not of what the scenario calls it.
      _ = try InfoPlistFile(bytes, path: path, settings: .init())
      return bytes
    }
    scenario.identity = try identity.map { try Self.identity($0, passphrase, scenario.os) }
    let store = try LiveRoots.store(roots, user: userRoots)
    let client = try configuration(scenario, store)
    var inquiry = LiveInquiry(client: LiveClient(place.destination))
    inquiry.client.timeout = waiting.timeout
    inquiry.client.keepsTraffic = capture.pcap != nil
    inquiry.offersTLS13 =
      versions == nil && suites == nil && (client.offer?.maximumVersion ?? .tls12) >= .tls13
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
          "note: of the answer's \(content.count) bytes nothing is saved: text of up to \(Self.longestContent) bytes is"
        )
      }
    }
    try output.write(view.text(of: RunView(shown), output.style(styling)))
    if shown.outcome.verdict.word != .accepted { throw NotAsExpected() }
  }

  /// The client as a scenario would have it, with these roots.
  private func configuration(
    _ scenario: LiveScenario, _ store: TrustStore
  ) throws -> ClientEndpoint.Configuration {
    let cast = try scenario.cast(Workbench.keys)
    guard var client = try cast.player.simulation(of: cast.scenario).plans.first?.client else {
      throw Diagnostics("there is nothing to load", hint: "name a host: trustlab connect api.example:443")
    }
    client.decide()
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

  /// What --versions and --suites name is on offer, as far as App Transport Security leaves it.
  private func name(in client: inout ClientEndpoint.Configuration) throws {
    let (versions, suites) = (try versions.map(ProtocolVersion.listed), try suites.map(CipherSuite.listed))
    var named = client.offerWithoutATS
    named.versions = versions ?? named.versions
    // The SCSV belongs to every hello without renegotiation_info (RFC 5746 section 3.4).
    let signals = named.cipherSuites.filter(\.isSignalling)
    named.cipherSuites = suites.map { $0 + signals } ?? named.cipherSuites
    let usable = ProtocolVersion.implemented.filter(named.versions.contains)
    let selectable = named.cipherSuites.filter { !$0.isSignalling }
    guard selectable.contains(where: { suite in usable.contains(where: suite.isUsable) }) else {
      let range = named.versions
      throw Diagnostics(
        "none of the suites is of \(range.lowerBound == range.upperBound ? "" : "\(range.lowerBound) to ")\(range.upperBound)",
        hint: "suites with GCM, ChaCha20 or SHA-2 came with TLSv1.2; name other suites, or newer versions")
    }
    named.layout = client.offer?.hello.layout(of: named.versions, offersTLS13: false) ?? named.layout
    client.namedOffer = named
    // Where nothing is left the client says so, and sends nothing.
    guard let left = client.decision.narrowing(named) else { return }
    if versions != nil { client.tls.versions = left.versions }
    if suites != nil { client.tls.cipherSuites = left.cipherSuites }
    client.tls.layout =
      client.offer?.hello.layout(of: client.tls.versions, offersTLS13: false) ?? client.tls.layout
    var taken = (suites ?? []).filter { !left.cipherSuites.contains($0) }.map(\.name)
    if let versions, versions.lowerBound < left.versions.lowerBound {
      taken.append("what is older than \(left.versions.lowerBound)")
    }
    guard !taken.isEmpty else { return }
    Console.complain("note: App Transport Security takes out of the offer: \(taken.joined(separator: ", "))")
  }

  /// The file of PKCS #12 at `path`, which the app of `os` imports with this passphrase.
  ///
  /// - Throws: `Diagnostics` where it is another file.
  private static func identity(
    _ path: String, _ passphrase: String, _ os: OSVersion
  ) throws -> (name: String, file: [UInt8], passphrase: String) {
    let name = path == "-" ? "identity.p12" : path.split(separator: "/").last.map(String.init) ?? path
    let bytes = try AppSettings.bytes(path, "a file of PKCS #12")
    // PFX is a SEQUENCE: RFC 7292 section 4.
    guard bytes.first == 0x30 else {
      throw Diagnostics(
        "'\(path)' is no file of PKCS #12",
        hint: "of PEM one is made by: openssl pkcs12 -export -in cert.pem -inkey key.pem -out me.p12")
    }
    let imported = PKCS12Import(bytes, passphrase: passphrase, os: os, name: name)
    if let limit = imported.limit {
      throw Diagnostics(
        "'\(path)' cannot be opened here: \(limit)",
        hint: "what \(os) makes of the file is not known; write it again: openssl pkcs12 -export -iter 2048")
    }
    for bag in imported.unused { Console.complain("note: \(name): \(bag) is not used") }
    if imported.findings.contains(where: { $0.rule == .badPassphrase && $0.refuses }) {
      let said = passphrase.isEmpty ? "an empty passphrase" : "this passphrase"
      Console.complain("note: \(name) does not open with \(said); --passphrase says which")
    }
    return (name, bytes, passphrase)
  }

  /// What happened, as a case that was played.
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
    shown.judgement = Judgement(skippedBecause: "nobody has written down what is expected of a real server")
    return shown
  }

  /// The most bytes of an answer that become part of a scenario.
  private static let longestContent = 4096

  /// What of an answer becomes part of a scenario; nil for none.
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
      "wrote \(path): the secrets of \(log.lines.count) \(log.lines.count == 1 ? "handshake" : "handshakes")")
  }

  /// Whoever has saved a server may have gone on writing there.
  private static func checkAbsent(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("there is a file '\(path)' already", hint: "give another name, or remove it first")
    }
  }

  /// Writes the scenario of a server that asks in this way who the client is, and the files that it names, and says where
  /// it does not come to the same.
  private func save(
    _ scenario: LiveScenario, as path: String, _ view: CaseResult, _ asking: ClientAuthentication
  ) throws {
    guard scenario.server?.chain.isEmpty == false else {
      return Console.complain("note: nothing is saved: the server has shown no certificate that can be read")
    }
    var saved = scenario
    saved.identity = nil
    saved.server?.clientAuthentication = asking
    let cast = try saved.cast(Workbench.keys)
    let replayed = try cast.player.play(cast.scenario).outcome.verdict
    if replayed.word != view.outcome.verdict.word {
      return Console.complain(
        "note: nothing is saved: played again it is \(replayed.word.rawValue); what decided is not part of a scenario")
    }
    saved.expectation = replayed
    if Set(replayed.because.map(\.id)) != Set(view.outcome.verdict.because.map(\.id)) {
      saved.live = view.outcome.verdict
      let reasons = [replayed, view.outcome.verdict].map { verdict in
        verdict.because.isEmpty ? "nothing" : verdict.because.map(\.id).joined(separator: ", ")
      }
      let isOfIdentity = view.outcome.verdict.because.contains { [.pkcs12, .clientAuth].contains($0.layer) }
      Console.complain(
        "note: played again the reasons are others: \(reasons[0]), for \(reasons[1]) live; "
          + (isOfIdentity
            ? "the client's identity is not saved"
            : "where many roots are in force, those that the chain does not name are not saved: --roots with the right one "
              + "alone is"))
    }
    if identity != nil, asking == .none {
      Console.complain("note: the identity is not saved, nor that the server asks for one")
    }
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let files = saved.files.sorted { $0.key < $1.key }.map { name, bytes in
      (path: folder.isEmpty && !path.hasPrefix("/") ? name : "\(folder)/\(name)", bytes: bytes)
    }
    for file in files { try Self.checkAbsent(file.path) }
    for file in files { try OutputFile.write(file.bytes, to: file.path) }
    let text = try ScenarioFormat.text(of: Array(saved.text.utf8), path: path)
    try OutputFile.write(Array(text.utf8), to: path)
    Console.complain("wrote \(path); 'trustlab test \(Console.word(path))' plays it")
  }
}

extension StartTLS.Carrier: ExpressibleByArgument {}
