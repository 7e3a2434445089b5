import URLLoading

/// Checks that the settings about challenges are consistent.
struct DelegateCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for connection in scenario.connections where connection.replayed == nil {
      let client = connection.client
      let place = scenario.tree["client"]
      checkInterface(client, at: place?["api"]?.mark ?? connection.mark)
      guard let delegate = client.delegate else { continue }
      let mark = place?["delegate"]?.mark ?? connection.mark
      if client.interface.hasNoDelegate, delegate.preset?.name != "default" {
        sink.error(
          "a load with 'api: \(client.interface.rawValue)' has no delegate",
          hint: "leave out the delegate, or write api: delegate", at: mark)
      }
      if client.serverTrust != .standard {
        sink.error(
          "'delegate' and 'serverTrust' both decide about the server",
          hint: "move serverTrust into a rule: { when: { method: ServerTrust }, trust: { … } }", at: mark)
      }
      checkCredentials(of: delegate, client, at: mark)
      if delegate.preset == nil {
        checkMethods(of: delegate, client, at: place?["delegate"]?["methods"]?.mark ?? mark)
      }
    }
  }

  /// Warns if the loader calls none of the delegate's methods, which is probably a mistake. Presets from listings
  /// define their own methods.
  private func checkMethods(of delegate: DelegateDescription, _ client: ClientDescription, at mark: SourceMark) {
    let own = DelegateMethod.allCases.filter { $0.loader == client.loader }
    guard let methods = delegate.methods, !methods.isEmpty, !own.isEmpty, !methods.contains(where: own.contains) else {
      return
    }
    let loaders = Set(methods.map(\.loader.rawValue)).sorted().joined(separator: " or ")
    sink.warning(
      "\(client.loader.rawValue) calls none of the delegate's methods: \(methods.map(\.rawValue).listed)",
      hint: "it calls \(own.map(\.rawValue).listed); or write loader: \(loaders)", at: mark)
  }

  private func checkInterface(_ client: ClientDescription, at mark: SourceMark) {
    guard !client.interface.loaders.contains(client.loader) else { return }
    let loaders = client.interface.loaders.map(\.rawValue).joined(separator: " or ")
    sink.error(
      "\(client.loader.rawValue) has no 'api: \(client.interface.rawValue)'", hint: "write loader: \(loaders)",
      at: mark)
  }

  /// Reports a credential that the app does not have and thus cannot use in an answer.
  private func checkCredentials(of delegate: DelegateDescription, _ client: ClientDescription, at mark: SourceMark) {
    // If a rule has another answer, it continues without the credential.
    let sources = delegate.rules.flatMap { [$0.answers, $0.otherwise] }.compactMap { calls -> CredentialSource? in
      guard calls.count == 1, case .useCredential(let source)? = calls.first else { return nil }
      return source
    }
    if sources.contains(.account), client.account == nil {
      sink.error(
        "the delegate uses the user's account, but the client has no account",
        hint: "write client: { account: { user: alice, password: secret } }", at: mark)
    }
    if sources.contains(.identity), client.identity.isEmpty, client.identityFile == nil {
      sink.error(
        "the delegate uses the app's identity, but the client has no identity",
        hint: "write client: { identity: alice }",
        at: mark)
    }
    if delegate.preset?.name == "own-anchors", delegate.anchors == nil {
      sink.error(
        "the delegate sets its own anchors, but no anchors are given",
        hint: "write delegate: { preset: own-anchors, anchors: [Root A] }", at: mark)
    }
  }
}
