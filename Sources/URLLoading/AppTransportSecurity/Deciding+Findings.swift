import Explanation
import TLS
import Trust

extension AppTransportSecurity.Deciding {
  /// What is checked before any connection.
  func findings(
    _ standing: AppTransportSecurity.Decision.Standing, _ confidence: Finding.Confidence, _ enforcement: Enforcement
  ) -> [Finding] {
    [insecureHTTP(standing, confidence, enforcement)] + transparency(enforcement)
  }

  private func insecureHTTP(
    _ standing: AppTransportSecurity.Decision.Standing, _ confidence: Finding.Confidence, _ enforcement: Enforcement
  ) -> Finding {
    let subject = Finding.Subject.url(load.url.description)
    let found = Detail.word(load.url.scheme)
    if case .notApplicable = standing {
      return enforcement.note(.atsInsecureHTTP, on: subject, .notApplicable, found: found, confidence: confidence)
    }
    guard load.url.isHTTP else {
      return enforcement.note(
        .atsInsecureHTTP, on: subject, .unknown, found: found,
        confidence: .unknown("what becomes of loads that are not of HTTP"))
    }
    let finding = enforcement.check(
      .atsInsecureHTTP, on: subject, load.url.isSecure, required: .word("https"), found: found, confidence: confidence)
    return standing == .inForce ? finding : finding.overridden(by: .exception)
  }

  private func transparency(_ enforcement: Enforcement) -> [Finding] {
    guard let entry, entry.domain.requiresCertificateTransparency else { return [] }
    let isHeeded = heedsTransparency
    return [
      enforcement.note(
        .atsCertificateTransparency,
        on: .propertyListKey("\(entry.domain.keyPath).\(AppTransportSecurity.Key.requiresCertificateTransparency)"),
        isHeeded ? .notEvaluated : .notApplicable,
        confidence: isHeeded ? .likely("since which release the key is ignored is not public") : .certain)
    ]
  }

  /// The keys that App Review asks about, of those the load falls under.
  var appReview: [String] {
    if let entry {
      if entry.isBuiltIn { return [] }
      let isLowered = entry.minimumVersion < .tls12
      return (entry.allowsInsecureHTTPLoads ? ["NSExceptionAllowsInsecureHTTPLoads"] : [])
        + (isLowered ? ["NSExceptionMinimumTLSVersion"] : [])
    }
    let globals = configuration.globals
    let newer: [(String, Bool?)] =
      profile.knowsNewerGlobals
      ? [
        (AppTransportSecurity.Key.allowsArbitraryLoadsForMedia, globals.media),
        (AppTransportSecurity.Key.allowsArbitraryLoadsInWebContent, globals.webContent),
      ] : []
    let keys = [(AppTransportSecurity.Key.allowsArbitraryLoads, globals.arbitraryLoads)] + newer
    return keys.filter { $0.1 == true }.map(\.0)
  }

  /// How well known the decision is: what it rests on that no source settles.
  var confidence: Finding.Confidence {
    if !load.url.host.allSatisfy(\.isASCII) { return .unknown("how internationalised names are looked up") }
    if profile.name == .documentation { return .certain }
    if let entry { return confidence(in: entry) }
    if load.url.address?.isPrivate == true, load.isDirect == nil, profile.addresses == .listed {
      return .likely("whether systems take private addresses for direct ones is not public")
    }
    if load.hasLocalName, configuration.globals.localNetworking == false, profile.localNames == .allowed {
      return .conflicting("NSAllowsLocalNetworking = NO denies local names in the open engine, not in documentation")
    }
    if load.loader == .uiWebView, configuration.globals.webContent == true, profile.knowsNewerGlobals {
      return .conflicting("documentation lists UIWebView, the open engine asks for a process of WebKit")
    }
    if configuration.globals.mediaByEarlyName != nil, [.ios10, .ios17].contains(profile.name) {
      return .likely("NSAllowsArbitraryLoadsInMedia is not read by the open engine of iOS 18.4")
    }
    return .certain
  }

  private func confidence(in entry: AppTransportSecurity.Entry) -> Finding.Confidence {
    if entry.usesOldSpelling {
      return profile.name == .ios17
        ? .unknown("whether anything still translates the old spellings")
        : .likely("the old spellings are known from apps and forums, not from documentation")
    }
    if load.url.writtenHost != load.url.host, configuration.domain(named: load.url.writtenHost) == nil {
      return .unknown("whether the host is put in lower case before the lookup")
    }
    if entry.labelsBelow > 1 {
      return profile.name == .modern
        ? .certain : .conflicting("NSIncludesSubdomains covers one label in documentation, any number in Apple's code")
    }
    return .certain
  }
}
