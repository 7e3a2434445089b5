import ArgumentParser
import Foundation
import LiveTLS
import Scenarios
import Site
import Web

/// The `trustlab web` command.
struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Serve the site on this machine, with pages that play changed scenarios and check your own files.",
    discussion: """
      Examples:
        trustlab web
        trustlab web L1 my-scenarios --port 0

      Open the printed address in a browser. It contains a token, which is new at each start: without it, the server \
      refuses every request. In addition to the pages of 'trustlab site', you can change a scenario and watch the run \
      change, check an Info.plist or a certificate chain, and open a capture.

      Nothing is stored, and nothing leaves this machine. A scenario that you change can name only files of the \
      curriculum. Ctrl-C or SIGTERM stops the server with exit status 0.
      """)

  @Argument(help: "The files, folders, ids or groups to serve. Default: the curriculum.")
  var paths: [String] = []

  @Option(parsing: .unconditional, help: "The port; 0 selects a free one.")
  var port = 8000

  @Option(help: "The address to listen on. Other machines can reach addresses other than 127.0.0.1 and ::1.")
  var listen = "127.0.0.1"

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535") }
  }

  func run() throws {
    let workbench = Workbench()
    let content = try SiteHome().content(of: paths, workbench, hasEngine: true)
    let site = ServedSite(content, player: workbench.player)
    let engine = WebEngine(files: content.files, site: site)
    Termination.catchSignals()
    let gate = WebGate()
    let server: WebServer
    do throws(LiveServer.StartError) {
      server = try WebServer(on: listen, port: port, gate: gate) { engine.response(to: $0) }
    } catch {
      throw Diagnostics("cannot listen on \(error.place): \(error.reason)", hint: error.hint)
    }
    announce(server, gate)
    let background = Thread { site.playAll() }
    background.qualityOfService = .background
    background.start()
    Termination.wait()
    server.stop()
  }

  private func announce(_ server: WebServer, _ gate: WebGate) {
    if !["127.0.0.1", "::1", "localhost"].contains(listen) {
      Console.complain(
        "warning: other machines can reach \(listen), and the connection is not encrypted\n"
          + "hint: give the token only to people who may use this machine's processor")
    }
    Console.out("http://\(server.address):\(server.port)/?token=\(gate.token)\nPress Ctrl-C to stop.")
  }
}
