import ArgumentParser
import Captures
import Explanation
import Foundation
import LiveTLS
import Rendering
import Scenarios

/// `trustlab serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Put the servers of scenarios on real sockets, for real clients to ask.",
    discussion: """
      Examples:
        trustlab serve L1-01 --now --roots roots.pem
        curl --cacert roots.pem --resolve api.example:4433:127.0.0.1 \\
          https://api.example:4433/
        trustlab serve L3 L4 --now --port 0 --roots roots.pem --json
        trustlab serve my.yaml --case "a new key" --now --keylog keys.txt \\
          --pcap run.pcap

      Hosts are chosen by the name in the ClientHello (SNI). Where two scenarios have the same host, the second listens \
      on a port of its own, the next one; the list at the start says which. A name that nobody has is answered for by \
      the first host of the port.

      With --now every date of the certificates moves by now - clock, so that real clients accept what the scenario \
      accepts; certificates from files stay as they are. Random numbers come from the system, but for those that a \
      scenario spoils. The attackers of a scenario are not here: a real network is.

      A target is answered as 'content' names it, a query with it: where it names GET / alone, GET /?q=1 is a 404. HEAD is \
      answered as GET is, without the body. On TLS a request for a host that is neither the server's nor in its certificate \
      is answered 421; localhost and the address that was connected to are the server's.

      Each connection is told of when it ends, in one line, or with --json as Scenarios/schema/serve.schema.json says. \
      Ctrl-C or SIGTERM ends the servers; the exit status is 0 then.
      """)

  @Argument(help: "Files, folders, ids or groups: the main case of each.")
  var scenarios: [String]

  @Option(name: .customLong("case"), help: "The case whose servers are put up; for a single scenario.")
  var caseName: String?

  @Option(parsing: .unconditional, help: "The first port; 0 takes free ones.")
  var port = 4433

  @Option(help: "The address to listen on: everyone who can reach it can ask.")
  var listen = "127.0.0.1"

  @Flag(help: "Shift every date by now - clock, so that real clients accept what the scenario accepts.")
  var now = false

  @Option(help: "Write the roots that the scenarios' clients trust to this file, as PEM.")
  var roots: String?

  @Option(
    parsing: .unconditional,
    help: "For how many seconds a connection may be silent; its handshake, and each request, has six times as long.")
  var timeout: Int64 = 30

  @Flag(help: "Tell of connections in JSON, one object per line.")
  var json = false

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var styling: StyleOptions

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535") }
    guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds") }
    guard !scenarios.isEmpty else { throw ValidationError("name a scenario: trustlab serve L1-01 --now") }
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
        "\(served.ports.count) ports are needed from \(port) on, and there is none after 65535",
        hint: "each scenario with a host that is there already has a port of its own; --port 0 takes free ones")
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

  /// Who listens where, and how a client is asked; on standard error where connections are told as JSON.
  private func announce(_ served: ServedScenarios, _ servers: [LiveServer]) {
    var lines = zip(served.ports, servers).flatMap { hosts, server in
      hosts.map { "\(server.port)  \($0.name)  \($0.origin)" }
    }
    if let host = served.ports.first?.first?.name, let server = servers.first {
      let (trusted, port) = (roots.map { "--cacert \($0)" } ?? "--insecure", server.port)
      lines += ["curl \(trusted) --resolve \(host):\(port):\(server.address) https://\(host):\(port)/", "Ctrl-C ends."]
    }
    for remark in served.remarks { Console.complain("note: \(remark)") }
    let text = lines.joined(separator: "\n")
    if json { Console.complain(text) } else { Console.out(text) }
  }
}

/// SIGINT and SIGTERM, for a program that waits for them.
enum Termination {
  private static let signals = [SIGINT, SIGTERM]

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// From now on they end nothing by themselves: in this thread, and in those that it begins.
  static func catchSignals() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Until one of them comes.
  static func wait() {
    var set = set
    var signal: Int32 = 0
    sigwait(&set, &signal)
  }
}
