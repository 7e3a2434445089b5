import TLS
import Trust
import URLLoading

/// Warns about settings that have no effect in any case of a file, because they need another setting.
struct IdleSettingCheck {
  let cases: [Scenario]
  let file: String
  let sink: DiagnosticSink

  func run() {
    checkSessions()
    checkGroups()
    checkSuites()
    checkTLS13()
    checkStrictHosts()
    checkDelegates()
    checkValidity()
  }

  private var dates: [Scenario] { cases.flatMap(\.dates) }

  /// Warns about resumption that only one side permits. It needs both client and server (RFC 5246 section 7.3).
  private func checkSessions() {
    let isResumable = dates.contains { date in
      date.connections.contains { $0.client.sessions != .none } && date.servers.contains { $0.sessions != .none }
    }
    guard !isResumable else { return }
    warn("client", "sessions", "no server of any case resumes a session", "also write server.sessions") { date in
      date.connections.contains { $0.client.sessions != .none }
    }
    warn("server", "sessions", "no client of any case resumes a session", "also write client.sessions") { date in
      date.servers.contains { $0.sessions != .none }
    }
  }

  /// Warns about a finite-field group without a DHE suite, which needs the group (RFC 5246 section 7.4.3).
  private func checkGroups() {
    let hasSuite = dates.flatMap(\.servers).contains { server in
      server.cipherSuites.contains { $0.keyExchange == .dheRSA || $0.keyExchange == .dhAnonymous }
    }
    guard !hasSuite else { return }
    warn(
      "server", "dhGroup", "no server of any case has a DHE suite",
      "write cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA]"
    ) { date in date.servers.contains { $0.dhGroup != nil } }
  }

  /// Warns about a server of TLS 1.3 with suites for earlier versions only, and the reverse. TLS 1.3 and earlier versions
  /// have no suite in common (RFC 8446 section 4.1.2).
  private func checkSuites() {
    var idle: [SourceMark: [ProtocolVersion]] = [:]
    var effective: Set<SourceMark> = []
    for date in dates {
      for server in date.servers where !server.cipherSuites.isEmpty && !server.versions.isEmpty {
        let node = date.tree["servers"]?[server.host] ?? date.tree["server"]
        guard let mark = node?["cipherSuites"]?.mark, mark.file == file else { continue }
        let eras = Set(server.versions.map { $0 >= .tls13 })
        let isUsable = server.cipherSuites.contains { eras.contains($0.keyExchange == .tls13) }
        if isUsable { effective.insert(mark) } else { idle[mark] = server.versions }
      }
    }
    for (mark, versions) in idle.sorted(by: { $0.key < $1.key }) where !effective.contains(mark) {
      let isNew = versions.contains(.tls13)
      sink.warning(
        "'cipherSuites' has no effect: no suite in it belongs to \(versions.map(\.description).joined(separator: ", "))",
        hint: isNew
          ? "write cipherSuites: [TLS_AES_128_GCM_SHA256], or versions: [TLSv1.3, TLSv1.2]"
          : "write cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], or add TLSv1.3 to versions", at: mark)
    }
  }

  /// Warns about settings of TLS 1.3 that need TLS 1.3, or a setting of the other side.
  private func checkTLS13() {
    let (servers, clients) = (dates.flatMap(\.servers), dates.flatMap(\.connections).map(\.client))
    let serverWords: [(String, (ServerDescription) -> Bool)] = [
      ("psk", { $0.preSharedKey != nil }), ("earlyData", { $0.earlyData != nil }),
      ("keyUpdate", { $0.keyUpdate != nil }), ("cookie", \.sendsCookie), ("padding", { $0.recordPadding > 0 }),
      ("certificateCompression", { $0.certificateCompression != .none }),
    ]
    for (word, isSet) in serverWords where !servers.contains(where: { isSet($0) && $0.versions.contains(.tls13) }) {
      warn("server", word, "no server that sets it supports TLS 1.3", "write versions: [TLSv1.3, TLSv1.2]") {
        $0.servers.contains(where: isSet)
      }
    }
    let clientWords: [(String, (ClientDescription) -> Bool)] = [
      ("psk", { $0.preSharedKey != nil }), ("earlyData", { $0.earlyRequests != .none }),
      ("keyUpdate", { $0.keyUpdate != nil }), ("postHandshakeAuth", \.authenticatesLater),
      ("padding", { $0.recordPadding > 0 }),
    ]
    for (word, isSet) in clientWords where !clients.contains(where: { isSet($0) && $0.os.offersTLS13 }) {
      warn("client", word, "no client that sets it offers TLS 1.3", "write os: iOS 13, or a newer system") {
        $0.connections.contains { isSet($0.client) }
      }
    }
    if servers.allSatisfy({ $0.versions == [.tls13] }) {
      warn("client", "random", "TLS 1.3 has no premaster secret", "write random: { client_ecdh_private: 16 bits }") {
        $0.connections.contains { $0.client.random.keys.map(\.kind) == [.premasterSecret] }
      }
    }
    checkCounterparts(servers, clients)
  }

  /// Warns about a key or early data that only one side has.
  private func checkCounterparts(_ servers: [ServerDescription], _ clients: [ClientDescription]) {
    if !servers.contains(where: { $0.preSharedKey != nil }) {
      warn("client", "psk", "no server of any case has a key", "also write server.psk") { date in
        date.connections.contains { $0.client.preSharedKey != nil }
      }
    }
    if !clients.contains(where: { $0.preSharedKey != nil }) {
      warn("server", "psk", "no client of any case has a key", "also write client.psk") { date in
        date.servers.contains { $0.preSharedKey != nil }
      }
    }
    if !servers.contains(where: { $0.earlyData != nil }) {
      warn("client", "earlyData", "no server of any case accepts early data", "also write server.earlyData: {}") {
        $0.connections.contains { $0.client.earlyRequests != .none }
      }
    }
    if !clients.contains(where: { $0.earlyRequests != .none }) {
      warn("server", "earlyData", "no client of any case sends early data", "also write client.earlyData: safe") {
        $0.servers.contains { $0.earlyData != nil }
      }
    }
    if !servers.contains(where: { $0.earlyData != nil && $0.sessions != .none }) {
      warn("server", "earlyData", "early data needs a ticket", "also write server.sessions") { date in
        date.servers.contains { $0.earlyData != nil }
      }
    }
  }

  /// Checks that a known HSTS host is a name, without scheme, port or path (RFC 6797 section 8.2).
  private func checkStrictHosts() {
    var reported: Set<SourceMark> = []
    for date in dates {
      for host in date.connections.flatMap(\.client.strictHosts) where host.contains("/") || host.contains(":") {
        let node = date.tree["client"]?["hsts"]
        let mark = node?.mark(of: host) ?? node?.mark ?? date.tree.mark
        guard reported.insert(mark).inserted else { continue }
        let name = (try? LoadURL(host))?.host ?? "api.example"
        sink.error("'\(host)' is not a host name, so no load matches it", hint: "write hsts: [\(name)]", at: mark)
      }
    }
  }

  /// Warns about a delegate of UIWebView, which is for navigation and receives no challenge.
  private func checkDelegates() {
    let isAsked = dates.flatMap(\.connections).contains { $0.client.delegate != nil && $0.client.loader != .uiWebView }
    guard !isAsked else { return }
    warn("client", "delegate", "UIWebView passes no challenge to a delegate", "write loader: WKWebView") { date in
      date.connections.contains { $0.client.delegate != nil && $0.client.loader == .uiWebView }
    }
  }

  /// Warns about a short validity. By default it begins some days before the clock, and may thus end before the clock.
  private func checkValidity() {
    var reported: Set<SourceMark> = []
    for date in dates {
      for description in date.authorities + date.certificates
      where description.days != nil && description.notBefore == nil && description.notAfter == nil {
        let section = date.tree[description.isCA ? "authorities" : "certificates"]
        let (start, end) = description.validity(date.epoch)
        guard end <= date.epoch, let mark = section?[description.name]?["days"]?.mark, mark.file == file,
          reported.insert(mark).inserted
        else { continue }
        sink.warning(
          "'\(description.name)' is valid only from \(start.shortText) to \(end.shortText)",
          hint: "write notBefore: \(date.epoch.shortText) to make it valid at the time of 'clock'", at: mark)
      }
    }
  }

  /// Warns once, at `key` of `part`, if the file sets it and `isSet` returns true on some date.
  private func warn(
    _ part: String, _ key: String, _ reason: String, _ hint: String, where isSet: (Scenario) -> Bool
  ) {
    for date in dates where isSet(date) {
      guard let mark = date.tree[part]?[key]?.mark, mark.file == file else { continue }
      return sink.warning("'\(part).\(key)' has no effect: \(reason)", hint: hint, at: mark)
    }
  }
}

extension OSVersion {
  /// Whether the system offers TLS 1.3 to a server.
  fileprivate var offersTLS13: Bool { ClientOffer.systemDefault(os: self).maximumVersion >= .tls13 }
}
