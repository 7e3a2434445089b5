import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS

/// The servers of several scenarios, distributed over ports so that each port has every host name at most once.
struct ServedScenarios {
  /// The hosts of each port, in order.
  private(set) var ports: [[LiveHost]] = []
  /// The roots that the scenarios' clients trust, in PEM without duplicates.
  private(set) var roots = ""
  /// Notes about the parts of the scenarios that are not served.
  private(set) var remarks: [String] = []

  /// Creates the servers of these scenarios. The dates are shifted to `now`; if it is nil, they are unchanged.
  ///
  /// - Throws: `Diagnostics` if there is no such scenario, or no server to run.
  init(_ names: [String], case caseName: String?, now: Instant?, _ workbench: Workbench) throws {
    let paths = try workbench.paths(among: names)
    if caseName != nil, paths.count != 1 {
      throw Diagnostics("--case requires a single scenario, not \(paths.count)", hint: "pass only one scenario")
    }
    var certificates: [String] = []
    for path in paths {
      let file = try workbench.read(path)
      let scenario = try workbench.scenario(caseName, in: file)
      guard scenario.calculation == nil || paths.count == 1 else {
        remarks.append("\(file.id) has no server: it is a calculation")
        continue
      }
      do throws(Diagnostics) {
        let export = try workbench.player.export(of: scenario, now: now)
        for server in try workbench.player.servers(of: scenario, now: now) {
          let origin = Self.origin(file, caseName)
          if !server.configuration.tls.credentials.holdsItsKey {
            remarks.append(
              "\(origin) lacks the private key of \(server.host): clients will refuse the server's signature")
          }
          add(LiveHost(name: server.host, origin: origin, server.configuration))
        }
        for root in export.files where ["roots.pem", "user-roots.pem"].contains(root.name) {
          let text = String(decoding: root.bytes, as: UTF8.self)
          if !certificates.contains(text) { certificates.append(text) }
        }
      } catch {
        guard paths.count > 1 else { throw file.showing(error) }
        remarks.append("\(file.id) is skipped: \(error.all.first?.message ?? "it cannot be served")")
      }
    }
    roots = certificates.joined()
    guard !ports.isEmpty else {
      throw Diagnostics("none of these scenarios has a server", hint: "try: trustlab serve L1-01")
    }
  }

  private static func origin(_ file: ScenarioFile, _ caseName: String?) -> String {
    caseName.map { "\(file.id)/\($0)" } ?? file.id
  }

  /// Adds the host to the first port without a host of the same name.
  private mutating func add(_ host: LiveHost) {
    let free = ports.firstIndex { hosts in !hosts.contains { $0.name == host.name } }
    if let free { ports[free].append(host) } else { ports.append([host]) }
  }
}

extension ServerCredentials {
  /// Whether the key belongs to the first certificate. A scenario saved by `connect` has a substitute key, which
  /// clients refuse.
  var holdsItsKey: Bool {
    certificates.first.flatMap { try? Certificate(der: $0) }.map { $0.publicKey == privateKey.publicKey } ?? true
  }
}
