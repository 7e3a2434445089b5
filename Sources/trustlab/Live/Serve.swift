import ArgumentParser
import Captures
import Explanation
import Foundation
import LiveTLS
import Rendering
import Scenarios

/// The `trustlab serve` command.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the servers of scenarios on real sockets, for real clients.",
    discussion: """
      Examples:
        trustlab serve L1-01 --now --roots roots.pem
        curl --cacert roots.pem --resolve api.example:4433:127.0.0.1 \\
          https://api.example:4433/
        trustlab serve L3 L4 --now --port 0 --roots roots.pem --json
        trustlab serve my.yaml --case "a new key" --now --keylog keys.txt \\
          --pcap run.pcap

      The server name in the ClientHello (SNI) selects the host. If two scenarios have the same host, the second \
      listens on the next port; the list at startup shows all ports. If no host has this name, the first host of the \
      port responds.

      With --now, TrustLab shifts every date in the certificates so that the scenario's clock shows the current time. \
      Real clients then accept the same servers as the scenario's client. TrustLab does not change certificates from \
      files. Random numbers come from the system, except those that a scenario weakens. TrustLab does not run the \
      attackers of a scenario.

      A request must match a target in 'content' exactly, including the query. If 'content' has only GET /, the \
      response to GET /?q=1 is 404. HEAD gets the same response as GET, without the body. Over TLS, a request for a \
      host that is neither the server's nor in its certificate gets 421. TrustLab treats the name localhost and the \
      address of the connection as the server's own names.

      TrustLab prints one line when a connection ends. Scenarios/schema/serve.schema.json describes the lines that \
      --json prints. Ctrl-C or SIGTERM stops the servers with exit status 0.
      """)

  @Argument(help: "The files, folders, ids or groups to serve. TrustLab serves the main case of each.")
  var scenarios: [String]

  @Option(name: .customLong("case"), help: "The case to serve, for a single scenario.")
  var caseName: String?

  @Option(parsing: .unconditional, help: "The first port; 0 selects free ports.")
  var port = 4433

  @Option(help: "The address to listen on. Every client that can reach this address can connect.")
  var listen = "127.0.0.1"

  @Flag(help: "Shift every date so that the scenario's clock shows the current time, for use with real clients.")
  var now = false

  @Option(help: "The PEM file to write, with the roots that the scenarios' clients trust.")
  var roots: String?

  @Option(
    parsing: .unconditional,
    help:
      "The maximum time without data from the client, in seconds. A handshake or request may take six times as long.")
  var timeout: Int64 = 30

  @Flag(help: "Print connections as JSON, one object per line.")
  var json = false

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var styling: StyleOptions

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port requires a number from 0 to 65535") }
    guard (1...86_400).contains(timeout) else {
      throw ValidationError("--timeout requires a number from 1 to 86400 seconds")
    }
    guard !scenarios.isEmpty else {
      throw ValidationError("there is no scenario to serve: write trustlab serve L1-01 --now")
    }
  }

  func run() throws {
    try capture.check(output: roots)
    let served = try ServedScenarios(scenarios, case: caseName, now: now ? Clock.now : nil, Workbench())
    if let roots { try OutputFile.write(Array(served.roots.utf8), to: roots) }
    let log = try ConnectionLog(isJSON: json, style: styling.style, capture)
    var options = LiveServer.Options()
    options.timeout = timeout
    (options.keepsSecrets, options.keepsTraffic) = (capture.keylog != nil, capture.pcap != nil)
    Termination.catchSignals()
    let servers = try start(served, options, log)
    announce(served, servers)
    Termination.wait()
    for server in servers { server.stop() }
    try log.close()
  }

  private func start(
    _ served: ServedScenarios, _ options: LiveServer.Options, _ log: ConnectionLog
  ) throws -> [LiveServer] {
    let counter = ConnectionCounter()
    let last = port + served.ports.count - 1
    guard port == 0 || last <= 65_535 else {
      throw Diagnostics(
        "the servers need \(served.ports.count) ports from \(port) on, but the highest port is 65535",
        hint: "choose a lower port, or use --port 0 for free ports")
    }
    return try served.ports.enumerated().map { index, hosts in
      do throws(LiveServer.StartError) {
        return try LiveServer(
          hosts, on: listen, port: port == 0 ? 0 : port + index, options, counter: counter,
          clock: { Clock.now },
          report: { log.add($0) })
      } catch {
        throw Diagnostics("cannot listen on \(error.place): \(error.reason)", hint: error.hint)
      }
    }
  }

  /// Prints the hosts, their ports and a curl command. If connections are printed as JSON, the text is printed to
  /// standard error.
  private func announce(_ served: ServedScenarios, _ servers: [LiveServer]) {
    var lines = zip(served.ports, servers).flatMap { hosts, server in
      hosts.map { "\(server.port)  \($0.name)  \($0.origin)" }
    }
    if let host = served.ports.first?.first?.name, let server = servers.first {
      let (trusted, port) = (roots.map { "--cacert \($0)" } ?? "--insecure", server.port)
      lines += [
        "curl \(trusted) --resolve \(host):\(port):\(server.address) https://\(host):\(port)/", "Press Ctrl-C to stop.",
      ]
    }
    for remark in served.remarks { Console.complain("note: \(remark)") }
    let text = lines.joined(separator: "\n")
    if json { Console.complain(text) } else { Console.out(text) }
  }
}

/// Waits for the signals SIGINT and SIGTERM.
enum Termination {
  private static let signals = [SIGINT, SIGTERM]

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// Blocks the signals in this thread and in the threads that it starts.
  static func catchSignals() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits until a signal arrives.
  static func wait() {
    var set = set
    var signal: Int32 = 0
    sigwait(&set, &signal)
  }
}
