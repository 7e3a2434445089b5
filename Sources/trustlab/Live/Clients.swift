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

/// The `trustlab clients` command.
struct Clients: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clients",
    abstract: "Test the servers of scenarios with real TLS clients.",
    discussion: """
      Examples:
        trustlab clients L4-01
        trustlab clients L3 L4
        trustlab clients my.yaml --format json

      TrustLab starts the servers of every case on loopback with current dates, as 'serve --now' does. Each installed \
      client (openssl s_client, curl, gnutls-cli, Python's ssl, Java, Go) connects with the roots that the scenario's \
      client trusts. If the scenario's client trusts no root, the clients trust an unrelated root. The table also \
      shows the results of three TrustLab profiles: RFC 5280, the Web PKI, and Apple's rules on the operating system \
      of the case. The sign ≠ marks rows with different results; the reasons follow below the table. If a client runs \
      longer than --timeout, TrustLab ends it and marks it with …. TrustLab also lists installed clients that are \
      unusable, with the reason.

      The test covers servers and their certificates, but not attackers or an app's decisions. The clients have no \
      certificates, so a server that requires one continues without it. TrustLab shifts all dates to today, so rules \
      about certificates issued before a certain date do not apply. A certificate in the last second of its validity \
      may expire before the last client connects. Scenarios/schema/clients.schema.json describes the JSON output. The \
      exit status is 0 if the clients ran, whatever their results.
      """)

  @Argument(help: "The files, folders, ids or groups to test. TrustLab tests every case.")
  var scenarios: [String]

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @Option(parsing: .unconditional, help: "The time limit for each client, in seconds.")
  var timeout = ClientProgram.timeout

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func validate() throws {
    guard (1...600).contains(timeout) else {
      throw ValidationError("--timeout requires a number from 1 to 600 seconds")
    }
  }

  func run() throws {
    let workbench = Workbench()
    let bench = try ClientBench(ClientProgram.allCases.map { ($0, $0.standing) }, timeout: timeout)
    defer { bench.clean() }
    let clients = bench.clients
    guard !clients.isEmpty else {
      let reasons = bench.unusable.map { "; \($0.client.rawValue): \($0.why)" }.joined()
      throw Diagnostics(
        "no usable client\(reasons)", hint: "install openssl, curl, gnutls-bin, python3, a JDK or Go")
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
    guard !rows.isEmpty else {
      throw Diagnostics(skipped.first ?? "no case to test", hint: "try: trustlab clients L4-01")
    }
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

/// The results of all profiles and clients for one server.
struct ClientsRow: Sendable {
  let name: String
  let host: String
  /// The verdicts of TrustLab's profiles, as lists of the rules that refuse; empty if the profile accepts.
  let verdicts: [(profile: String, because: [String])]
  /// The clients' results, in the order in which they ran.
  let answers: [ClientProgram.Answer]
  /// The server's findings in the connection of each client that refused.
  let found: [[String]]

  /// Whether some clients or profiles accept and others refuse. A client that reached its time limit is ignored.
  var differs: Bool {
    let answered = answers.map(\.verdict).filter { $0 != .hangs }.map { $0 == .accepted }
    return Set(verdicts.map(\.because.isEmpty) + answered).count > 1
  }
}

/// Starts servers and runs clients.
struct ClientBench: Sendable {
  /// The usable clients and their versions.
  private(set) var clients: [(client: ClientProgram, version: String)] = []
  /// The clients that are not installed.
  private(set) var absent: [ClientProgram] = []
  /// The clients that are installed but unusable, with the reasons.
  private(set) var unusable: [(client: ClientProgram, why: String)] = []
  private let folder: URL
  private let timeout: Int
  /// A root in PEM that has issued nothing, for scenarios without roots. With an empty file, clients would fail before
  /// they check the server.
  private let stranger: [UInt8]

  /// Creates a folder and prepares the usable clients in it.
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
    let root = try CertificateAuthority(root: template, key: key, random: &random).certificate
    return Array(root.pem.utf8)
  }

  /// Removes the folder of the compiled clients.
  func clean() { try? FileManager.default.removeItem(at: folder) }

  /// Returns the results of the profiles and clients for the server that the case loads from.
  ///
  /// - Throws: `Diagnostics` if the case has no such TLS server.
  func row(_ name: String, _ scenario: Scenario, _ workbench: Workbench) throws -> ClientsRow {
    let now = Clock.now
    guard let connection = scenario.connections.first(where: { $0.replayed == nil }),
      let url = try? LoadURL(connection.url), url.isSecure
    else { throw Diagnostics("the case loads nothing over https") }
    let servers = try workbench.player.servers(of: scenario, now: now)
    guard var server = servers.first(where: { $0.host == url.host }) else {
      throw Diagnostics("the case has no server for \(url.host)")
    }
    guard server.configuration.tls.credentials.holdsItsKey else {
      throw Diagnostics(
        "the scenario lacks the private key of \(url.host), so every client would refuse the server",
        hint: "use 'trustlab test' for a scenario written by 'connect --save'")
    }
    // The clients have no identity. Without this change, if a server requires an identity, the clients would seem to
    // refuse the server.
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

  /// Returns the server's findings since the last call. The method waits, because a client may end before its server
  /// reports them.
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
