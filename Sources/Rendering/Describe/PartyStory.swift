import Endpoint
import Explanation
import Scenarios

/// Who takes part in a scenario: the app, the servers, the hierarchy behind their certificates, and the network.
struct PartyStory {
  let scenario: Scenario

  init(_ scenario: Scenario) { self.scenario = scenario }

  var document: Document {
    var document = Document()
    if let calculation = scenario.calculation { return CalculationStory(calculation, scenario).document }
    document.paragraph("\(loads)")
    for server in scenario.servers {
      document.blocks.append(.space)
      document.paragraph("\(sentence(server))")
    }
    document.blocks.append(.space)
    for description in scenario.authorities + scenario.certificates {
      document.bullet("•", RichText(description.name, .name) + RichText(": \(sentence(description))"), indent: 2)
    }
    document.blocks.append(.space)
    document.paragraph("\(NetworkStory(scenario).sentences)")
    let changes = scenario.tree["timeline"]?.items ?? []
    for (date, change) in zip(scenario.later, changes) {
      document.paragraph("On \(Self.day(date.clock)): \(change["changes"]?.flowText ?? "nothing has changed")")
    }
    return document
  }

  /// `On 2016-11-01 an app on iOS 10 loads …`, for every client that differs from the one before.
  private var loads: String {
    var sentences: [String] = []
    for connection in scenario.connections {
      let client = connection.client
      let named = connection.name.map { " (\($0))" } ?? ""
      let first = sentences.isEmpty ? "On \(Self.day(scenario.clock)) an app" : "Then an app"
      if let replayed = connection.replayed {
        sentences.append("Then an attacker sends the client's messages of \(replayed) again\(named).")
        continue
      }
      sentences.append(
        "\(first) on \(client.os) loads \(connection.url)\(named) with \(client.loader.rawValue). \(settings(client))")
    }
    return sentences.joined(separator: " ")
  }

  private func settings(_ client: ClientDescription) -> String {
    ([plist(client)] + demands(client)).joined(separator: " ")
  }

  /// What it demands beyond what the system does.
  private func demands(_ client: ClientDescription) -> [String] {
    var demands: [String] = []
    let identity = client.identity.joined(separator: ", ")
    if !identity.isEmpty { demands.append("It shows \(identity) where a server asks who it is.") }
    if client.resumesSessions { demands.append("It goes on with earlier sessions.") }
    let trust = client.serverTrust
    if trust.delegate == .acceptAll { demands.append("Its delegate accepts every server, whatever its certificate.") }
    if let anchors = trust.anchors {
      demands.append(
        "It sets \(anchors.joined(separator: ", ")) as anchors" + (trust.anchorsOnly ? ", and no others." : " as well.")
      )
    }
    if let added = trust.adds { demands.append("It adds \(added.joined(separator: ", ")) to the chain.") }
    if let date = trust.verifyDate { demands.append("It has the chain validated at \(Self.day(date)).") }
    if let exceptions = trust.exceptions {
      demands.append("It lets \(exceptions.rules.joined(separator: ", ")) pass for \(exceptions.certificate).")
    }
    if !trust.evaluates { demands.append("It reads the result without evaluating the trust that it has.") }
    if !client.fetchesIssuers { demands.append("It fetches no issuers.") }
    if let sdk = client.linkedSDK { demands.append("It is linked against the SDK of \(sdk).") }
    if let pins = trust.pins {
      demands.append(
        "It demands a public key of \(pins.joined(separator: " or ")) on the path"
          + (trust.exemptsUserAnchors ? ", but not under a root that the user installed." : "."))
    }
    switch client.revocation {
    case .none: break
    case .softFail: demands.append("It asks whether certificates are revoked, and goes on when it cannot find out.")
    case .hardFail: demands.append("It asks whether certificates are revoked, and refuses when it cannot find out.")
    }
    return demands
  }

  private func plist(_ client: ClientDescription) -> String {
    switch client.infoPlist {
    case .file(let file): "Its Info.plist is \(file.path)."
    case .inline(let list) where list.dictionary?.isEmpty ?? true:
      "It changes nothing of App Transport Security."
    case .inline(let list): "Its NSAppTransportSecurity is \(list.words)."
    }
  }

  private func sentence(_ server: ServerDescription) -> String {
    let versions = server.versions.map(\.description).joined(separator: ", ")
    let content = server.content.sorted { $0.key < $1.key }.map { line, answer in
      if case .redirect(let target, _) = answer { "\(line) with a redirect to \(target)" } else { line }
    }.joined(separator: ", ")
    let answers = content.isEmpty ? "answers nothing" : "answers \(content)"
    let suites = server.cipherSuites.map(\.name).joined(separator: ", ")
    let groups = server.groups.map(\.description).joined(separator: ", ")
    return "The server \(server.host) speaks \(versions), presents \(server.presents.joined(separator: ", ")), and "
      + "\(answers). Its cipher suites, best first: \(suites)." + (groups.isEmpty ? "" : " Its groups: \(groups).")
      + clientAuthentication(server) + (server.resumesSessions ? " It lets clients go on with earlier sessions." : "")
  }

  private func clientAuthentication(_ server: ServerDescription) -> String {
    let authorities = server.clientAuthorities.joined(separator: ", ")
    switch server.clientAuthentication {
    case .none: return ""
    case .optional: return " It asks who the client is, takes certificates under \(authorities), and goes on without."
    case .required: return " It demands to know who the client is, by a certificate under \(authorities)."
    }
  }

  private func sentence(_ description: CertificateDescription) -> String {
    if let file = description.pem { return "read from \(file.path)\(trust(description))." }
    let key = "with the key \(description.key)"
    let names = description.names.isEmpty ? "" : " for \(description.names.joined(separator: ", "))"
    let kind =
      description.isAuthority ? (description.issuer == nil ? "a root" : "an authority") : "a certificate\(names)"
    let issuer = description.issuer.map { ", signed by \($0) with \(description.signature)" }
    return kind + " " + key + (issuer ?? (description.isAuthority ? "" : ", signed by itself")) + trust(description)
      + details(description) + "."
  }

  private func details(_ description: CertificateDescription) -> String {
    var details: [String] = []
    if let bits = description.entropy { details.append("its key has \(bits) bits of entropy") }
    if let other = description.sharesPrimeWith { details.append("its key shares a prime with that of \(other)") }
    if let name = description.crossSigned { details.append("for the key of \(name)") }
    if let url = description.issuerLocation { details.append("published at \(url)") }
    details += description.distrusts.map(Self.sentence)
    if let constraints = description.nameConstraints { details.append("names below it: \(constraints.meaning)") }
    if let version = description.version { details.append("version \(version)") }
    if let serial = description.serial { details.append("serial number \(Hex.string(serial))") }
    if let length = description.pathLength { details.append(Self.below(length)) }
    if let date = description.revoked { details.append("revoked on \(Self.day(date))") }
    if let start = description.notBefore { details.append("valid from \(start)") }
    if let end = description.notAfter { details.append("valid until \(end)") }
    if let days = description.days { details.append("valid for \(days) days") }
    if let name = description.commonName { details.append("its common name is \(name)") }
    if let usage = description.keyUsage { details.append("its key usage is \(Self.list(usage))") }
    if let purposes = description.extendedKeyUsage { details.append("its purposes are \(Self.list(purposes))") }
    if let timestamps = description.timestamps { details.append("its timestamps: \(timestamps)") }
    details += description.faults.map { "broken on purpose: \($0.rawValue)" }
    return details.map { "; \($0)" }.joined()
  }

  private func trust(_ description: CertificateDescription) -> String {
    switch description.trust {
    case .system: ", which the system trusts"
    case .user: ", which the user has installed and trusts"
    case .installedNotTrusted: ", which the user has installed and does not trust"
    case .distrusted: ", which the system distrusts, with all that it signed"
    case .denied: ", which the user never trusts"
    case .asked: ", about which the user wants to be asked"
    case .none: ""
    }
  }

  private static func below(_ length: Int) -> String {
    switch length {
    case 0: "no authority below it"
    case 1: "at most 1 authority below it"
    default: "at most \(length) authorities below it"
    }
  }

  private static func sentence(_ list: DistrustDescription) -> String {
    var words = ["distrusted"]
    if let date = list.from { words.append("from \(day(date)) on") }
    if !list.since.isEmpty { words.append("since \(list.since.map(\.description).joined(separator: " and "))") }
    if let date = list.issuedFrom { words.append("for what is issued on \(day(date)) or later") }
    if let date = list.issuedBefore { words.append("for what was issued before \(day(date))") }
    if !list.except.isEmpty { words.append("except through \(list.except.joined(separator: ", "))") }
    return words.joined(separator: " ")
  }

  private static func list(_ words: [String]) -> String { words.isEmpty ? "empty" : words.joined(separator: ", ") }

  /// A day, with its time unless that is midnight.
  private static func day(_ instant: Instant) -> String { instant.description.replacing("T00:00:00Z", with: "") }
}
