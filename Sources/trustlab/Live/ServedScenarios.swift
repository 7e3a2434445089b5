import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS

/// The servers of several scenarios, distributed over ports so that no port has a name twice.
struct ServedScenarios {
  /// The hosts of each port, in order.
  private(set) var ports: [[LiveHost]] = []
  /// The roots that the scenarios' clients trust, as PEM, each once.
  private(set) var roots = ""
  /// What of the scenarios is not here.
  private(set) var remarks: [String] = []

  /// The servers of these scenarios, as of `now`; nil leaves every date as it is.
  ///
  /// - Throws: `Diagnostics` when there is no such scenario, or it has no server that can be put up.
  init(_ names: [String], case caseName: String?, now: Instant?, _ workbench: Workbench) throws {
    let paths = try workbench.paths(among: names)
    if caseName != nil, paths.count != 1 {
      throw Diagnostics("--case is for one scenario, and these are \(paths.count)", hint: "name the file alone")
    }
    var certificates: [String] = []
    for path in paths {
      let file = try workbench.read(path)
      let scenario = try workbench.scenario(caseName, in: file)
      guard scenario.calculation == nil || paths.count == 1 else {
        remarks.append("\(file.id) has no server: it calculates with toy numbers")
        continue
      }
      do throws(Diagnostics) {
        let export = try workbench.player.export(of: scenario, now: now)
        for server in try workbench.player.servers(of: scenario, now: now) {
          let origin = Self.origin(file, caseName)
          if !server.configuration.tls.credentials.holdsItsKey {
            remarks.append("\(origin) has no key of the certificate of \(server.host): clients refuse what it proves")
          }
          add(LiveHost(name: server.host, origin: origin, server.configuration))
        }
        for root in export.files where ["roots.pem", "user-roots.pem"].contains(root.name) {
          let text = String(decoding: root.bytes, as: UTF8.self)
          if !certificates.contains(text) { certificates.append(text) }
        }
      } catch {
        guard paths.count > 1 else { throw file.showing(error) }
        remarks.append("\(file.id) is left out: \(error.all.first?.message ?? "it cannot be served")")
      }
    }
    roots = certificates.joined()
    guard !ports.isEmpty else {
      throw Diagnostics("none of these scenarios has a server", hint: "trustlab serve L1-01")
    }
  }

  private static func origin(_ file: ScenarioFile, _ caseName: String?) -> String {
    caseName.map { "\(file.id)/\($0)" } ?? file.id
  }

  /// To the first port that has no such name.
  private mutating func add(_ host: LiveHost) {
    let free = ports.firstIndex { hosts in !hosts.contains { $0.name == host.name } }
    if let free { ports[free].append(host) } else { ports.append([host]) }
  }
}

extension ServerCredentials {
  /// Whether the key is that of the first certificate. What is saved of a real server has no key: what stands in its place
  /// convinces no client.
  var holdsItsKey: Bool {
    certificates.first.flatMap { try? Certificate(der: $0) }.map { $0.publicKey == privateKey.publicKey } ?? true
  }
}
