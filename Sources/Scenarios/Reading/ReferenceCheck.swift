import Explanation
import TLS
import URLLoading

/// Checks the names by which the parts of a scenario refer to each other.
struct ReferenceCheck {
  let cases: [Scenario]
  let file: String
  let sink: DiagnosticSink

  func run() {
    for scenario in cases.flatMap(\.dates) {
      checkIssuers(of: scenario)
      HierarchyCheck(scenario: scenario, sink: sink).run()
      checkServers(of: scenario)
      ClientAuthenticationCheck(scenario: scenario, sink: sink).run()
      DelegateCheck(scenario: scenario, sink: sink).run()
      LibraryCheck(scenario: scenario, sink: sink).run()
      RenegotiationCheck(scenario: scenario, sink: sink).run()
      NetworkCheck(scenario: scenario, sink: sink).run()
      AttackersCheck(scenario: scenario, sink: sink).run()
      checkPaths(of: scenario)
      checkTrusted(by: scenario)
      checkConnections(of: scenario)
      KnowledgeCheck(scenario: scenario, sink: sink).run()
    }
    checkUse()
    checkSiblings()
    checkUnmet()
  }

  private func checkIssuers(of scenario: Scenario) {
    let all = scenario.authorities + scenario.certificates
    for certificate in all { sink.check(ownerOfValues: certificate.name, at: certificate.mark) }
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    for certificate in scenario.certificates where scenario.authorities.contains(where: { $0.name == certificate.name })
    {
      sink.error(
        "'\(certificate.name)' is both a CA and a certificate", hint: "give one of them another name",
        at: certificate.mark)
    }
    for certificate in all {
      guard let issuer = certificate.issuer else { continue }
      guard byName[issuer] != nil else {
        checkIssuer(issuer, of: certificate, in: scenario)
        continue
      }
      var seen = [certificate.name]
      var next: String? = issuer
      while let name = next {
        if name == certificate.name, all.first(where: { seen.contains($0.name) })?.name == name {
          sink.error(
            "the issuers form a cycle: \((seen + [name]).joined(separator: " ← "))",
            hint: "a root has no issuer: remove one 'issuer'", at: certificate.mark)
        }
        if seen.contains(name) { break }
        seen.append(name)
        next = byName[name]?.issuer
      }
    }
  }

  /// Checks that an issuer exists. If the file replaces a CA of the baseline, it must name the issuer of the baseline's
  /// certificate.
  private func checkIssuer(_ issuer: String, of certificate: CertificateDescription, in scenario: Scenario) {
    let mark = issuerMark(of: certificate, in: scenario)
    let place = scenario.place(mark, orOf: "authorities", "certificates")
    let names = (scenario.authorities + scenario.certificates).map(\.name)
    let isOwn = place == mark
    sink.error(
      "unknown CA '\(issuer)'" + (isOwn ? "" : ", the issuer of the baseline's '\(certificate.name)'"),
      hint: isOwn
        ? Spelling.hint(for: issuer, among: names)
        : "the file replaces the baseline's authorities: add '\(issuer)', or write certificates too",
      at: place)
  }

  private func issuerMark(of certificate: CertificateDescription, in scenario: Scenario) -> SourceMark {
    let section = scenario.tree[certificate.isCA ? "authorities" : "certificates"]
    return section?[certificate.name]?["issuer"]?.mark ?? certificate.mark
  }

  private func checkServers(of scenario: Scenario) {
    let names = (scenario.certificates + scenario.authorities).map(\.name)
    var hosts: Set<String> = []
    for server in scenario.servers {
      if server.host.isEmpty { sink.error("the server has no host", hint: "write host: api.example", at: server.mark) }
      if !hosts.insert(server.host).inserted {
        sink.error("two servers have the host '\(server.host)'", hint: "give each host one server", at: server.mark)
      }
      checkPresented(by: server, names: names, in: scenario)
      for (line, target) in server.redirects {
        guard let url = try? LoadURL(target), !scenario.servers.contains(where: { $0.host == url.host }) else {
          continue
        }
        let hosts = scenario.servers.map(\.host)
        let content = (scenario.tree["servers"]?[server.host] ?? scenario.tree["server"])?["content"]
        sink.error(
          "no server has the host '\(url.host)'", hint: Spelling.hint(for: url.host, among: hosts),
          at: content?[line]?["redirect"]?.mark ?? server.mark)
      }
      for (line, registration) in server.registrations where !names.contains(registration.certificate) {
        let place = node(of: server, in: scenario)?["content"]?[line]?["pkcs12"]?.mark
        sink.error(
          "unknown certificate '\(registration.certificate)'",
          hint: Spelling.hint(for: registration.certificate, among: names), at: place ?? server.mark)
      }
      for name in server.staple?.names ?? [] where !names.contains(name) {
        let place = node(of: server, in: scenario)?["staple"]
        sink.error(
          "unknown certificate '\(name)' of the stapled response", hint: Spelling.hint(for: name, among: names),
          at: place?.place(of: name) ?? place?.mark ?? server.mark)
      }
      // An existing but invalid value has already been reported.
      let presented = node(of: server, in: scenario)?["presents"]
      let isRead = presented == nil || presented?.items != nil
      if isRead, server.chains.isEmpty || server.chains.contains(where: \.isEmpty) {
        sink.error(
          "the server presents no certificate", hint: "write presents: [api, Issuing]",
          at: presented?.mark ?? server.mark)
      }
    }
  }

  /// Checks the presented certificates. If the file replaces those of the baseline's server, it must name the presented
  /// ones.
  private func checkPresented(by server: ServerDescription, names: [String], in scenario: Scenario) {
    let mark = mark(of: "presents", for: server, in: scenario)
    let unknown = server.chains.joined().filter { !names.contains($0) }
    guard !unknown.isEmpty else { return }
    guard mark.file == file else {
      let own = scenario.certificates.first.map { Self.chain(from: $0, in: scenario) } ?? names
      sink.error(
        "the file does not list the certificates that the server presents",
        hint: "write server: { presents: [\(own.joined(separator: ", "))] }, leaf first",
        at: (scenario.certificates + scenario.authorities).map(\.mark).filter { $0.file == file }.min()
          ?? scenario.place(mark, orOf: "certificates", "authorities"))
      return
    }
    for name in unknown {
      sink.error(
        "unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: names),
        at: node(of: server, in: scenario)?["presents"]?.place(of: name) ?? mark)
    }
  }

  /// Returns a certificate and the CAs above it, without the root, which the client already has.
  private static func chain(from leaf: CertificateDescription, in scenario: Scenario) -> [String] {
    var chain = [leaf]
    while chain.count < 10, let name = chain.last?.issuer,
      let issuer = scenario.authorities.first(where: { $0.name == name }), issuer.issuer != nil
    {
      chain.append(issuer)
    }
    return chain.map(\.name)
  }

  private func mark(of key: String, for server: ServerDescription, in scenario: Scenario) -> SourceMark {
    node(of: server, in: scenario)?[key]?.mark ?? server.mark
  }

  private func node(of server: ServerDescription, in scenario: Scenario) -> Node? {
    scenario.tree["servers"]?[server.host] ?? scenario.tree["server"]
  }

  private func checkConnections(of scenario: Scenario) {
    let names = scenario.dates.flatMap { $0.connections.compactMap(\.name) }
    let parts = scenario.dates.flatMap { date in date.connections.flatMap { $0.partNames(in: date) } }
    for name in (scenario.expectation?.connections.keys.sorted() ?? []) where !(names + parts).contains(name) {
      let place = scenario.tree["expect"]?["connections"]?[name]?.mark
      sink.error(
        "unknown connection '\(name)'", hint: Spelling.hint(for: name, among: names + parts),
        at: place ?? scenario.tree.mark)
    }
  }

  /// Checks that the names in an expected path exist. A mistake would otherwise only appear as a failed test.
  private func checkPaths(of scenario: Scenario) {
    let names = (scenario.certificates + scenario.authorities).map(\.name)
    guard let path = scenario.expectation?.path, !scenario.certificates.contains(where: { $0.pem != nil }) else {
      return
    }
    for name in path where !names.contains(name) {
      sink.error(
        "unknown certificate '\(name)' in the expected path", hint: Spelling.hint(for: name, among: names),
        at: scenario.tree["expect"]?["path"]?.mark(of: name) ?? scenario.tree.mark)
    }
  }

  /// Checks the certificates that apps set as anchors, pin, or have in their property lists.
  private func checkTrusted(by scenario: Scenario) {
    let names = (scenario.certificates + scenario.authorities).map(\.name)
    let (place, own) = (scenario.tree["client"], scenario.tree["connections"])
    for connection in scenario.connections {
      let client = connection.client
      let trust = client.serverTrust
      for (list, noun, key) in [
        (trust.anchors ?? [], "anchors", "serverTrust"), (trust.adds ?? [], "added certificates", "serverTrust"),
        (trust.exceptions?.names ?? [], "exceptions", "serverTrust"),
        (trust.pins ?? [], "pins", "serverTrust"),
        (trust.library?.names ?? [], "pins", "serverTrust"),
        (client.challengeNames, "certificates of the delegate", "delegate"),
        (client.infoPlist.identities, "pinned identities", "infoPlist"),
      ] {
        for unknown in list where !names.contains(unknown) {
          sink.error(
            "unknown certificate '\(unknown)' among the \(noun)", hint: Spelling.hint(for: unknown, among: names),
            at: place?[key]?.place(of: unknown) ?? own?.place(of: unknown) ?? place?[key]?.mark ?? connection.mark)
        }
      }
    }
  }

  /// Warns about server settings that no client uses: SSL 3.0 next to newer versions, and unimplemented suites.
  private func checkUnmet() {
    var reported: Set<SourceMark> = []
    let isAccepted = cases.flatMap(\.connections).contains { connection in
      ClientOffer.systemDefault(os: connection.client.os).minimumVersion <= .sslv3
    }
    for scenario in cases {
      for server in scenario.servers {
        let versions = mark(of: "versions", for: server, in: scenario)
        if server.versions.contains(.sslv3), server.versions.count > 1, !isAccepted, reported.insert(versions).inserted
        {
          sink.warning(
            "no client here accepts SSLv3", hint: "systems before iOS 9 accept it: write os: iOS 7", at: versions
          )
        }
        let suites = mark(of: "cipherSuites", for: server, in: scenario)
        if let suite = server.cipherSuites.first(where: { !$0.isImplemented && $0.keyExchange != .tls13 }),
          reported.insert(suites).inserted
        {
          sink.warning("'\(suite.name)' is not implemented and is never selected", at: suites)
        }
      }
    }
  }

  /// Reports a CA or certificate of the file that no case uses, which is a mistake.
  private func checkUse() {
    let used = cases.flatMap(\.dates).reduce(into: Set<String>()) { $0.formUnion($1.usedNames()) }
    var reported: Set<SourceMark> = []
    let names = cases.flatMap { $0.authorities + $0.certificates }.map(\.name)
    // If a reference to the name is misspelt, the reference is the error to report.
    let meant = used.subtracting(names).compactMap { Spelling.nearest(to: $0, among: names) }
    for description in cases.flatMap({ $0.authorities + $0.certificates })
    where description.mark.file == file && !used.contains(description.name)
      && !meant.contains(description.name)
      && reported.insert(description.mark).inserted
    {
      let noun = description.isCA ? "CA" : "certificate"
      sink.error(
        "the \(noun) '\(description.name)' is not used",
        hint: Spelling.nearest(
          to: description.name, among: names.filter { $0 != description.name && used.contains($0) }
        )
        .map { "did you mean '\($0)'?" }
          ?? (description.isCA
            ? "issue a certificate with it, present it from a server, or remove it"
            : "present it from a server, make it the client's identity, or remove it"),
        at: description.mark)
    }
  }

  private func checkSiblings() {
    let names = cases.map(\.caseName)
    let accepted = cases.contains { $0.expectation?.expectsAcceptance ?? true }
    for scenario in cases {
      if let sibling = scenario.sibling, !scenario.expectsAcceptance,
        sibling == scenario.caseName || sibling == scenario.name && !names.contains(sibling) || sibling.isEmpty
      {
        sink.error("a case cannot be its own sibling", at: scenario.siblingMark ?? scenario.tree.mark)
      }
      guard scenario.sibling == nil, !accepted, scenario.caseName == Scenario.mainCase else { continue }
      sink.warning(
        "there is no accepted sibling: a refusal proves little without an accepted case that differs in one line",
        hint: "add an accepted case, or name one with sibling: ID",
        at: scenario.tree["expect"]?.mark ?? scenario.tree.mark)
    }
  }
}

extension Scenario {
  /// Returns the CAs and certificates that are presented or sign something. Those in `without` are ignored as issuers.
  func usedNames(without: Set<String> = []) -> Set<String> {
    let all = authorities + certificates
    var used = Set(attackers.certificates)
    used.formUnion(servers.flatMap { $0.chains.joined() + $0.acceptedCAs })
    used.formUnion(connections.flatMap(\.client.identity))
    used.formUnion(servers.flatMap { ($0.knownClients ?? []) + $0.clientTrustSettings.keys })
    used.formUnion(registrations.map(\.registration.certificate))
    for case .intercept(let description) in network {
      used.formUnion(description.presents + (description.staple?.names ?? []))
    }
    // If a key has leaked, attackers can present the certificate or sign with it, even if no server presents it.
    for case .leak(let secret, _, _) in network where secret.kind == .key {
      used.insert(secret.scope.owner)
    }
    used.formUnion(servers.flatMap { $0.staple?.names ?? [] })
    for connection in connections {
      used.formUnion(connection.client.serverTrust.names + connection.client.infoPlist.identities)
      used.formUnion(connection.client.challengeNames)
    }
    for certificate in all where !without.contains(certificate.name) {
      used.formUnion(
        [
          certificate.issuer, certificate.sharesPrimeWith, certificate.crossSigned, certificate.spoofedKey,
          certificate.list?.signer,
        ].compactMap(\.self))
    }
    // An anchor that signs nothing here may sign for attackers, or may have signed a certificate from a file.
    let trusted: Set<CertificateDescription.Store> = [.system, .user]
    used.formUnion(
      all.filter { !trusted.isDisjoint(with: $0.stores) || $0.pem != nil && !$0.stores.isEmpty }.map(\.name))
    return used
  }
}

/// Checks the references of client authentication: the client's certificate, and the CAs that servers trust.
struct ClientAuthenticationCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for server in scenario.servers { check(server) }
    for connection in scenario.connections { check(connection) }
  }

  private func check(_ server: ServerDescription) {
    let node = scenario.tree["servers"]?[server.host] ?? scenario.tree["server"]
    let authorities = scenario.authorities.map(\.name)
    for name in server.acceptedCAs where !authorities.contains(name) {
      sink.error(
        "unknown CA '\(name)'", hint: Spelling.hint(for: name, among: authorities),
        at: node?["clientAuthorities"]?.mark(of: name) ?? server.mark)
    }
    let certificates = (scenario.certificates + scenario.authorities).map(\.name)
    for name in server.knownClients ?? [] where !certificates.contains(name) {
      sink.error(
        "unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: certificates),
        at: node?["knownClients"]?.mark(of: name) ?? server.mark)
    }
    for name in server.clientTrustSettings.keys.sorted() where !certificates.contains(name) {
      sink.error(
        "unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: certificates),
        at: node?["clientTrustSettings"]?.entries?.first { $0.key == name }?.mark ?? server.mark)
    }
    if server.clientAuthentication != .none, server.acceptedCAs.isEmpty {
      sink.error(
        "the server requests client certificates, but trusts no CA",
        hint: "write clientAuthorities: [\(authorities.first ?? "Root A")]",
        at: node?["clientAuthentication"]?.mark ?? server.mark)
    }
  }

  private func check(_ connection: ConnectionDescription) {
    let names = (scenario.certificates + scenario.authorities).map(\.name)
    for name in connection.client.identity where !names.contains(name) {
      let node = scenario.tree["client"]?["identity"]
      let place = node?.mark(of: name) ?? connection.mark
      let isFile = [".p12", ".pfx"].contains(where: name.lowercased().hasSuffix)
      sink.error(
        "unknown certificate '\(name)'",
        hint: isFile
          ? "to read from a file, write { file: \(name), passphrase: … }; p12 names a certificate of the scenario"
          : Spelling.hint(for: name, among: names + ["none"]), at: place)
    }
  }
}
