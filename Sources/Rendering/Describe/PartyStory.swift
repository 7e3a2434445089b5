import Endpoint
import Explanation
import Scenarios

/// Describes the participants of a scenario: the app, the servers, their certificates, and the network.
struct PartyStory {
  let scenario: Scenario

  init(_ scenario: Scenario) { self.scenario = scenario }

  var document: Document {
    var document = Document()
    if let calculation = try? scenario.workedCalculation() { return CalculationStory(calculation, scenario).document }
    document.paragraph("\(loads)")
    for server in scenario.servers {
      document.blocks.append(.space)
      document.paragraph("\(sentence(server))")
    }
    document.blocks.append(.space)
    for description in scenario.authorities + scenario.certificates {
      document.bullet("•", RichText(description.name, .name) + RichText(": \(sentence(description))"), indent: 2)
    }
    for (name, log) in scenario.logs.sorted(by: { $0.key < $1.key }) {
      document.bullet(
        "•", RichText(name, .name) + RichText(": a CT log, \(log.details.joined(separator: ", "))"),
        indent: 2)
    }
    document.blocks.append(.space)
    document.paragraph("\(NetworkStory(scenario).sentences)")
    let changes = scenario.tree["timeline"]?.items ?? []
    for (date, change) in zip(scenario.later, changes) {
      document.paragraph("On \(date.clock.shortText): \(change["changes"]?.flowText ?? "no change")")
    }
    return document
  }

  /// The sentence `On 2016-11-01 an app on iOS 10 loads …`, for every client that differs from the previous one.
  private var loads: String {
    var sentences: [String] = []
    for connection in scenario.connections {
      let client = connection.client
      let named = connection.name.map { " (\($0))" } ?? ""
      let first = sentences.isEmpty ? "On \(scenario.clock.shortText) an app" : "Then an app"
      if let replayed = connection.replayed {
        sentences.append("Then an attacker sends the client's messages of \(replayed) again\(named).")
        continue
      }
      sentences.append(
        "\(first) on \(client.os) loads \(connection.url)\(named) with \(client.loader.rawValue). "
          + client.details.joined(separator: " ")
      )
    }
    return sentences.joined(separator: " ")
  }

  private func sentence(_ server: ServerDescription) -> String {
    let versions = server.versions.map(\.description).joined(separator: ", ")
    let issued = server.registrations.map { line, issued in
      (line, "\(line) with \(issued.certificate).p12 (\(issued.protection.rawValue), MAC \(issued.mac.rawValue))")
    }
    let ready = server.content.map { line, answer in
      if case .redirect(let target, _) = answer { (line, "\(line) with a redirect to \(target)") } else { (line, line) }
    }
    let content = (ready + issued).sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ", ")
    let answers = content.isEmpty ? "serves nothing" : "serves \(content)"
    let chains = server.chains.map { $0.joined(separator: ", ") }.joined(separator: "; or ")
    let lead = "The server \(server.host) supports \(versions), presents \(chains), and "
    return ([lead + "\(answers)."] + server.details).joined(separator: " ")
  }

  private func sentence(_ description: CertificateDescription) -> String {
    if let file = description.pem { return "read from \(file.path)\(trust(description))." }
    let key = "with the key \(description.key)"
    let names = description.names.isEmpty ? "" : " for \(description.names.joined(separator: ", "))"
    let kind =
      description.isCA ? (description.issuer == nil ? "a root" : "a CA") : "a certificate\(names)"
    let issuer = description.issuer.map { ", signed by \($0) with \(description.signature)" }
    return kind + " " + key + (issuer ?? (description.isCA ? "" : ", self-signed")) + trust(description)
      + description.details.map { "; \($0)" }.joined() + "."
  }

  private func trust(_ description: CertificateDescription) -> String {
    let clauses = description.stores.compactMap { store -> String? in
      switch store {
      case .system: "which the system trusts"
      case .user: "which the user has installed and trusts"
      case .installedNotTrusted: "which the user has installed and does not trust"
      case .distrusted: "which the system distrusts, with all certificates that it signed"
      case .denied: "which the user marked Never Trust"
      case .asked: "which the user marked Ask Permission"
      case .none: nil
      }
    }
    return clauses.isEmpty ? "" : ", " + clauses.joined(separator: " and ")
  }
}
