extension NodeReader {
  /// A delegate's name, or a map that says what the app does.
  func serverTrust() -> ServerTrustDescription? {
    guard node.entries != nil else {
      return delegate().map { .init(delegate: $0, anchors: nil, anchorsOnly: true, pins: nil) }
    }
    guard let map = map(Vocabulary.serverTrust) else { return nil }
    let delegate = map["delegate"].map { $0.delegate() } ?? ServerTrustDescription.Delegate.none
    guard let delegate else { return nil }
    let trust = ServerTrustDescription(
      delegate: delegate, anchors: map["anchors"]?.certificateNames(), anchorsOnly: map["anchorsOnly"]?.flag() ?? true,
      pins: map["pins"]?.certificateNames())
    if delegate == .acceptAll, trust.anchors != nil || trust.pins != nil {
      fail("\(path): whoever accepts all asks for no anchors and no pins", hint: "leave out the one or the other")
    }
    if trust.anchors == nil, let only = map["anchorsOnly"] {
      only.fail("\(only.path) is about anchors of the app's own", hint: "write anchors: [Root A]")
    }
    if trust == .standard, map["delegate"] == nil {
      fail(
        "\(path) says nothing: neither delegate, anchors nor pins",
        hint: "write { pins: [api] }, { anchors: [Root A] }, accept-all or default")
    }
    return trust
  }

  private func delegate() -> ServerTrustDescription.Delegate? {
    choice(Vocabulary.delegateWords, called: "delegate").flatMap(ServerTrustDescription.Delegate.init)
  }

  /// Names of certificates and authorities, at least one.
  private func certificateNames() -> [String]? {
    let names = list { $0.text() }
    if names?.isEmpty == true { fail("\(path) names nothing: nothing could be accepted", hint: "write [api]") }
    return names
  }

  /// A switch.
  func flag() -> Bool? {
    guard case .scalar(let text, false, _) = node, ["true", "false"].contains(text) else {
      fail("\(path) must be true or false, not \(shown)")
      return nil
    }
    return text == "true"
  }
}
