import ArgumentParser
import Cryptography
import Endpoint
import Explanation
import Foundation
import LiveTLS
import PKIX
import Rendering
import Scenarios
import Synchronization
import TLS
import Trust
import URLLoading

/// `trustlab clients`
struct Clients: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clients",
    abstract: "Ask real clients what they make of the servers of scenarios.",
    discussion: """
      Examples:
        trustlab clients L4-01
        trustlab clients L3 L4
        trustlab clients my.yaml --format json

      The servers of every case are put on loopback as of today (as 'serve --now' does), and each client that is \
      installed is asked to connect with the roots that the scenario's client trusts: openssl s_client, curl, \
      gnutls-cli, Python's ssl, Java and Go. Where it trusts none, they get one that has signed nothing. Beside them stands \
      what the chain comes to under our profiles: RFC 5280, the web's rules, and Apple's on the system of the case. Rows \
      where they differ are marked ≠; what each says stands below. A client that has not ended by itself within --timeout \
      is ended, and marked …; one that is installed and cannot be asked is named with the reason.

      Attackers and what an app decides are not part of it: this is about servers and their certificates. The clients show \
      none of their own, and a server that demands one goes on without. Since all dates \
      move to today, what holds only for certificates issued before some day does not hold here, and a case in the last \
      second of a certificate is over before the last client has asked. JSON is as \
      Scenarios/schema/clients.schema.json says. The exit status is 0 when the clients were asked.
      """)

  @Argument(help: "Files, folders, ids or groups; every case of each.")
  var scenarios: [String]

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @Option(parsing: .unconditional, help: "For how many seconds a client may take to answer.")
  var timeout = ClientProgram.timeout

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func validate() throws {
    guard (1...600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 600 seconds") }
  }

  func run() throws {
    let workbench = Workbench()
    let bench = try ClientBench(ClientProgram.allCases.map { ($0, $0.standing) }, timeout: timeout)
    defer { bench.clean() }
    let clients = bench.clients
    guard !clients.isEmpty else {
      let reasons = bench.unusable.map { "; \($0.client.rawValue): \($0.why)" }.joined()
      throw Diagnostics(
        "no client can be asked\(reasons)", hint: "install openssl, curl, gnutls-bin, python3, a JDK or Go")
    }
    let cases = try scenarios.flatMap { try workbench.paths(for: $0) }.flatMap { path in
      let file = try workbench.read(path)
      return file.cases.map { (name: Self.name(of: $0, in: file), scenario: $0) }
    }
    let asked = ParallelMap.results(
      of: cases, jobs: ProcessInfo.processInfo.activeProcessorCount, progress: { Console.progress($0, of: $1) }
    ) { name, scenario in Result { try bench.row(name, scenario, workbench) } }
    let rows = asked.compactMap { try? $0.get() }
    let skipped = try zip(cases, asked).compactMap { asking, row in
      guard case .failure(let error) = row else { return nil as String? }
      guard let error = error as? Diagnostics else { throw error }
      return "\(asking.name): \(error.all.first?.message ?? "")"
    }
    guard !rows.isEmpty else { throw Diagnostics(skipped.first ?? "nothing to ask", hint: "trustlab clients L4-01") }
    let view = ClientsView(
      clients.map { ($0.client.rawValue, $0.version) }, rows, skipped, absent: bench.absent, unusable: bench.unusable)
    switch format {
    case .text:
      let style = output.style(styling)
      try output.write(view.document(width: style.width).text(style))
    case .json: try output.write(view.json().text(pretty: true))
    }
  }

  private static func name(of scenario: Scenario, in file: ScenarioFile) -> String {
    scenario.caseName == Scenario.mainCase ? file.id : "\(file.id)/\(scenario.caseName)"
  }
}

/// What everybody makes of one server.
struct ClientsRow: Sendable {
  let name: String
  let host: String
  /// The verdicts of our profiles: the rules that refuse; none where it is accepted.
  let verdicts: [(profile: String, because: [String])]
  /// What each client made of it, in the order in which they were asked.
  let answers: [ClientProgram.Answer]
  /// What the server found in the connection of each client, where that refused.
  let found: [[String]]

  /// Whether anybody accepts what another refuses; who never answered does neither.
  var differs: Bool {
    let answered = answers.map(\.verdict).filter { $0 != .hangs }.map { $0 == .accepted }
    return Set(verdicts.map(\.because.isEmpty) + answered).count > 1
  }
}

/// Where servers are put up and clients are asked.
struct ClientBench: Sendable {
  /// Those that can be asked, and their versions.
  private(set) var clients: [(client: ClientProgram, version: String)] = []
  /// Those that are not installed.
  private(set) var absent: [ClientProgram] = []
  /// Those that are installed and cannot be asked, and why.
  private(set) var unusable: [(client: ClientProgram, why: String)] = []
  private let folder: URL
  private let timeout: Int
  /// A root that has signed nothing, in PEM. Who trusts no root has one to look for: clients end with an error about an
  /// empty file else, and not with what they make of the server.
  private let stranger: [UInt8]

  /// A bench with a folder of its own, where those of the clients are made ready that can be asked.
  init(_ found: [(ClientProgram, ClientProgram.Standing)], timeout: Int) throws {
    self.timeout = timeout
    stranger = try Self.stranger()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("trustlab-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in ClientSources.files {
      try OutputFile.write(Array(text.utf8), to: folder.appendingPathComponent(name).path)
    }
    for (client, standing) in found {
      switch standing {
      case .missing: absent.append(client)
      case .unusable(let why): unusable.append((client, why))
      case .ready(let version):
        if let why = client.prepare(in: folder.path) {
          unusable.append((client, why))
        } else {
          clients.append((client, version))
        }
      }
    }
  }

  private static func stranger() throws -> [UInt8] {
    var random = DeterministicRandom(seed: .number(0), label: "a root that signs nothing")
    let key = PrivateKey.ec(.generate(.p256, random: &random))
    var template = CertificateTemplate.authority(
      DistinguishedName(commonName: "A root that signs nothing"), notBefore: Clock.now.adding(days: -1),
      notAfter: Clock.now.adding(days: 1))
    template.signatureScheme = .ecdsaSHA256
    let root = try Authority(root: template, key: key, random: &random).certificate
    return Array(root.pem.utf8)
  }

  /// Removes what was written.
  func clean() { try? FileManager.default.removeItem(at: folder) }

  /// What our profiles and the clients make of the server that the case loads from.
  ///
  /// - Throws: `Diagnostics` when there is no such server on TLS.
  func row(_ name: String, _ scenario: Scenario, _ workbench: Workbench) throws -> ClientsRow {
    let now = Clock.now
    guard let connection = scenario.connections.first(where: { $0.replayed == nil }),
      let url = try? LoadURL(connection.url), url.isSecure
    else { throw Diagnostics("nothing is loaded over https") }
    let servers = try workbench.player.servers(of: scenario, now: now)
    guard var server = servers.first(where: { $0.host == url.host }) else {
      throw Diagnostics("no server answers for \(url.host)")
    }
    guard server.configuration.tls.credentials.holdsItsKey else {
      throw Diagnostics(
        "the key of the certificate of \(url.host) is not at hand: every client would refuse for that alone",
        hint: "what 'connect --save' writes is for 'trustlab test'")
    }
    // The clients have no identity to show, and are asked what they make of the server: one that gives up without would be
    // taken for one that they refuse.
    if server.configuration.tls.clientAuthentication == .required {
      server.configuration.tls.clientAuthentication = .optional
    }
    let roots = try workbench.player.export(of: scenario, now: now).files.filter {
      ["roots.pem", "user-roots.pem"].contains($0.name)
    }.flatMap(\.bytes)
    let file = folder.appendingPathComponent("\(UUID().uuidString).pem")
    try OutputFile.write(roots.isEmpty ? stranger : roots, to: file.path)
    defer { try? FileManager.default.removeItem(at: file) }
    let reports = Mutex<[ConnectionReport]>([])
    let live = try LiveServer(
      [LiveHost(name: server.host, origin: name, server.configuration)], port: 0, clock: { Clock.now },
      report: { report in reports.withLock { $0.append(report) } })
    defer { live.stop() }
    var answers: [ClientProgram.Answer] = []
    var found: [[String]] = []
    for (client, _) in clients {
      answers.append(
        client.ask(url.host, port: live.port, path: url.path, roots: file.path, timeout: timeout))
      found.append(Self.reasons(reports))
    }
    return ClientsRow(
      name: name, host: url.host,
      verdicts: verdicts(server.configuration, roots, url.host, connection.client.os, now), answers: answers,
      found: found)
  }

  /// What the server found in the connections that have ended since it was asked last: a client may go before its server
  /// has noticed.
  private static func reasons(_ reports: borrowing Mutex<[ConnectionReport]>) -> [String] {
    for _ in 0..<50 {
      let ended = reports.withLock { reports in
        defer { reports = [] }
        return reports
      }
      if !ended.isEmpty {
        return ended.flatMap(\.reasons).map { finding in
          let found = finding.found.description
          return found.isEmpty || found.count > 40 ? finding.rule.id : "\(finding.rule.id): \(found)"
        }
      }
      usleep(20_000)
    }
    return []
  }

  private func verdicts(
    _ server: ServerEndpoint.Configuration, _ roots: [UInt8], _ host: String, _ os: OSVersion, _ now: Instant
  ) -> [(profile: String, because: [String])] {
    let chain = server.tls.credentials.certificates.compactMap { try? Certificate(der: $0) }
    let anchors = (try? Certificate.certificates(inPEMOrDER: roots)) ?? []
    let profiles: [(String, TrustProfile, OSVersion?)] = [
      ("rfc5280", .rfc5280, nil), ("webpki", .webpki, nil), ("\(os)", .apple, os),
    ]
    return profiles.map { name, profile, os in
      let evaluator = TrustEvaluator(
        TrustRequirements(
          profile: profile, os: os, purpose: .server, date: now, store: TrustStore(system: anchors)),
        diagnostics: TrustDiagnostics(names: .distinct(chain + anchors)))
      return (name, evaluator.evaluate(chain, host: host).deciding.map(\.id))
    }
  }
}
