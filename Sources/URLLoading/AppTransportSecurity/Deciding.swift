import Explanation
import TLS
import Trust

/// App Transport Security: what the URL Loading System demands of an app's connections since iOS 9 and OS X 10.11.
///
/// A `Configuration` is read from an app's Info.plist; `decide` says what it means for one load on one system.
public enum AppTransportSecurity {}

extension AppTransportSecurity {
  /// Decides about one load: the algorithm of Apple's open engine, in the profile of the load's system.
  ///
  /// - Parameters:
  ///   - load: what is loaded, with what, on what. Where it does not say what the app was linked with, the
  ///     configuration does, so that whoever reads a plist goes by the SDK that stands in it.
  ///   - configuration: the app's `NSAppTransportSecurity` dictionary, and what stands beside it.
  ///   - profile: how the system decides, when it is not to be told from the load's system.
  ///   - enforcement: the rules in force.
  public static func decide(
    _ load: Load, by configuration: Configuration, profile: Profile? = nil, enforcement: Enforcement = .standard
  ) -> Decision {
    var load = load
    load.linkedSDK = load.linkedSDK ?? configuration.linkedSDK
    return Deciding(
      load: load, configuration: configuration, profile: profile ?? Profile(load.os, linkedSDK: load.linkedSDK)
    ).decision(enforcement)
  }

  /// The facts of one decision while it is made.
  struct Deciding {
    let load: Load
    let configuration: Configuration
    let profile: Profile
    let entry: Entry?
    /// Why nothing in the dictionary matters; nil when it does.
    let exemption: Decision.Exemption?

    init(load: Load, configuration: Configuration, profile: Profile) {
      self.load = load
      self.configuration = configuration
      self.profile = profile
      exemption = Self.exemption(of: load, profile)
      entry = exemption == nil ? configuration.entry(for: load.url, profile) : nil
    }

    func decision(_ enforcement: Enforcement) -> Decision {
      let (standing, decidedBy) = exemption.map { (.notApplicable($0), "default") } ?? judgement
      let isLeftAlone = if case .notApplicable = standing { true } else { standing != .inForce && entry == nil }
      let applies = exemption == nil
      let niap = applies ? Self.niapDemand(entry, configuration, profile) : nil
      let doubts = applies ? doubts(standing) : []
      let confidence = doubts.gravest
      let findings = findings(standing, confidence, enforcement)
      return Decision(
        load: load, profile: profile, standing: standing, decidedBy: decidedBy, entryName: entry?.domain.name,
        requirements: isLeftAlone ? nil : Requirements(entry, niap?.package, profile),
        appReview: appReview(standing), requiresCertificateTransparency: requiresTransparency,
        overridingKey: turnsArbitraryLoadsOff ? overriding : nil, niapDemand: niap, pinnedIdentities: pins,
        lacksRequiredPins: lacksRequiredPins, confidence: confidence, doubts: doubts, findings: findings,
        because: findings.deciding)
    }

    private static func exemption(of load: Load, _ profile: Profile) -> Decision.Exemption? {
      if profile.name == .none { return .system }
      if let sdk = load.linkedSDK, Profile(sdk).name == .none { return .sdk }
      if !load.loader.isCovered { return .loader }
      return load.url.leadsNowhere ? .scheme : nil
    }

    /// Whether a secure connection is required, and which key says so.
    var judgement: (standing: Decision.Standing, decidedBy: String) {
      if let entry {
        let path = entry.isBuiltIn ? "default" : entry.insecureLoadsKeyPath
        return (entry.allowsInsecureHTTPLoads ? .lifted(by: path) : .inForce, path)
      }
      if load.url.address != nil, profile.addresses == .allowed {
        let isNewer = load.os.isAtLeast(iOS: (17, 0), macOS: (14, 0))
        return (.notApplicable(isNewer ? .addressOfEarlierSDK : .address), "default")
      }
      if isAddressOpened { return (.notApplicable(.address), Key.allowsLocalNetworking) }
      if isLocal, profile.localNames != .ordinary {
        let path = configuration.globals.localNetworking == nil ? "default" : Key.allowsLocalNetworking
        if profile.localNames == .allowed || configuration.globals.localNetworking != false {
          return (.notApplicable(load.hasLocalName ? .localName : .address), path)
        }
        // Denied, it is a host like any other: web views and media still have keys of their own.
        let judgement = globalJudgement
        return judgement.standing == .inForce ? (.inForce, path) : judgement
      }
      return globalJudgement
    }

    /// Whether the host is a local name, or an address that counts as one.
    var isLocal: Bool { load.hasLocalName || profile.knowsDirectAddresses && load.hasDirectAddress }

    /// Whether the documentation's page on `NSAllowsLocalNetworking`, which names addresses, opens the host.
    var isAddressOpened: Bool {
      profile.name == .documentation && load.url.address != nil && configuration.globals.localNetworking == true
    }

    private var globalJudgement: (standing: Decision.Standing, decidedBy: String) {
      if profile.knowsNewerGlobals {
        if media?.isOn == true, load.loader == .avFoundation { return lifted(media?.key) }
        if configuration.globals.webContent == true, load.loader.isWebView {
          return lifted(Key.allowsArbitraryLoadsInWebContent)
        }
      }
      let path = configuration.globals.arbitraryLoads == nil ? "default" : Key.allowsArbitraryLoads
      guard allowsArbitraryLoads else { return (.inForce, path) }
      return overriding.map { (.inForce, $0) } ?? lifted(path)
    }

    private func lifted(_ key: String?) -> (standing: Decision.Standing, decidedBy: String) {
      (.lifted(by: key ?? "default"), key ?? "default")
    }

    /// `NSAllowsArbitraryLoads`, which for Apple's own apps may be YES by default.
    private var allowsArbitraryLoads: Bool { configuration.globals.arbitraryLoads ?? load.isApplesOwn }

    private var turnsArbitraryLoadsOff: Bool {
      exemption == nil && entry == nil && allowsArbitraryLoads && overriding != nil
    }

    /// The key whose mere presence turns `NSAllowsArbitraryLoads` off.
    private var overriding: String? {
      guard profile.knowsNewerGlobals else { return nil }
      if configuration.globals.localNetworking != nil { return Key.allowsLocalNetworking }
      if configuration.globals.webContent != nil { return Key.allowsArbitraryLoadsInWebContent }
      return media?.key
    }

    private var media: (key: String, isOn: Bool)? {
      if let isOn = configuration.globals.media { return (Key.allowsArbitraryLoadsForMedia, isOn) }
      guard profile.honoursEarlyMediaName, let isOn = configuration.globals.mediaByEarlyName else { return nil }
      return (Key.allowsArbitraryLoadsInMedia, isOn)
    }

    /// Pins are part of default server trust: they hold where App Transport Security is lifted too.
    private var pins: PinnedIdentities? {
      mayBePinned ? configuration.pinnedIdentities(for: load.url.host, os: load.os) : nil
    }

    private var lacksRequiredPins: Bool {
      mayBePinned && configuration.lacksRequiredPins(for: load.url.host, os: load.os)
    }

    private var mayBePinned: Bool { exemption == nil && load.url.isSecure }

    /// The build settings in the place of identities of the host.
    var unexpandedIdentities: [String] { pins?.unexpanded ?? [] }

    /// Whether the app pins the host and loads it into a web view.
    var isPinnedInWebView: Bool { load.loader.isWebView && pins != nil }

    /// `NSRequiresCertificateTransparency` is ignored since the demand is universal.
    var requiresTransparency: Bool {
      exemption == nil && profile.heedsTransparencyKey && entry?.domain.requiresCertificateTransparency == true
    }
  }
}

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
        confidence: Self.otherProtocols)
    }
    let rule = load.url.isSecure ? Rule.atsInsecureHTTP : .atsInsecureHTTP.helping(load, profile)
    let finding = enforcement.check(
      rule, on: subject, load.url.isSecure, required: .word("https"), found: found, confidence: confidence)
    return standing == .inForce ? finding : finding.overridden(by: .exception)
  }

  private func transparency(_ enforcement: Enforcement) -> [Finding] {
    guard let entry, entry.domain.requiresCertificateTransparency else { return [] }
    let isRequired = requiresTransparency
    return [
      enforcement.note(
        .atsCertificateTransparency,
        on: .propertyListKey("\(entry.domain.keyPath).\(AppTransportSecurity.Key.requiresCertificateTransparency)"),
        isRequired ? .notEvaluated : .notApplicable,
        confidence: isRequired ? AppTransportSecurity.Profile.transparencyDoubt : .certain)
    ]
  }

  /// The keys that App Review asks about, of those that the load rests on.
  func appReview(_ standing: AppTransportSecurity.Decision.Standing) -> [String] {
    if let entry {
      if entry.isBuiltIn { return [] }
      return (entry.allowsInsecureHTTPLoads ? ["NSExceptionAllowsInsecureHTTPLoads"] : [])
        + (entry.minimumVersion < .tls12 ? ["NSExceptionMinimumTLSVersion"] : [])
    }
    guard case .lifted(let key) = standing, Self.reviewed.contains(key) else { return [] }
    return [key]
  }

  private static let reviewed = [
    AppTransportSecurity.Key.allowsArbitraryLoads, AppTransportSecurity.Key.allowsArbitraryLoadsForMedia,
    AppTransportSecurity.Key.allowsArbitraryLoadsInWebContent,
  ]
}
