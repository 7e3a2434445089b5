import Explanation
import TLS
import Trust

/// The requirements of the URL Loading System for an app's connections since iOS 9 and OS X 10.11.
///
/// A `Configuration` is read from an app's Info.plist. `decide` applies it to one load on one system.
public enum AppTransportSecurity {}

extension AppTransportSecurity {
  /// Decides one load with the algorithm of Apple's open-source engine, in the profile of the load's system.
  ///
  /// If the load does not state the SDK that the app was linked with, the SDK of the configuration is used.
  ///
  /// - Parameters:
  ///   - load: the load.
  ///   - configuration: the app's settings.
  ///   - profile: a system's rules; nil for those of the load's system.
  ///   - enforcement: the rules in force.
  public static func decide(
    _ load: Load, by configuration: Configuration, profile: Profile? = nil, enforcement: Enforcement = .standard
  ) -> Decision {
    var load = load
    load.linkedSDK = load.linkedSDK ?? configuration.linkedSDK
    return Deciding(
      load: load, configuration: configuration.read(for: load, under: enforcement),
      profile: profile ?? Profile(load.os, linkedSDK: load.linkedSDK)
    ).decision(enforcement)
  }

  /// The facts of one decision, collected before its findings are created.
  package struct Deciding {
    let load: Load
    let configuration: Configuration
    let profile: Profile
    let entry: Entry?
    /// The reason why the dictionary has no effect; nil if it has an effect.
    let exemption: Decision.Exemption?

    init(load: Load, configuration: Configuration, profile: Profile) {
      self.load = load
      self.configuration = configuration
      self.profile = profile
      exemption = Self.exemption(of: load, profile)
      entry = exemption == nil ? configuration.entry(for: load.url, profile) : nil
    }

    func decision(_ enforcement: Enforcement) -> Decision {
      let (standing, decider) = exemption.map { (.notApplicable($0), .byDefault) } ?? judgement
      let isLeftAlone = if case .notApplicable = standing { true } else { standing != .inForce && entry == nil }
      let applies = exemption == nil
      let niap = applies ? Self.niapDemand(entry, configuration, profile) : nil
      let doubts = applies ? doubts(standing) : []
      let confidence = doubts.gravest
      let findings = findings(standing, confidence, enforcement)
      return Decision(
        load: load, profile: profile, standing: standing, decider: decider, entryName: entry?.domain.name,
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

    /// Whether a secure connection is required, and the key that decides it.
    var judgement: Judgement {
      if let entry {
        let decider = entry.isBuiltIn ? .byDefault : entry.insecureLoadsKey
        return (entry.allowsInsecureHTTPLoads ? .lifted(by: decider) : .inForce, decider)
      }
      if load.url.address != nil, profile.addresses == .allowed {
        let isNewer = load.os.isAtLeast(iOS: (17, 0), macOS: (14, 0))
        return (.notApplicable(isNewer ? .addressOfEarlierSDK : .address), .byDefault)
      }
      if isAddressOpened { return (.notApplicable(.address), .key(.allowsLocalNetworking)) }
      if isLocal, profile.localNames != .ordinary {
        let decider = decider(.allowsLocalNetworking)
        if profile.localNames == .allowed || configuration.globals.localNetworking != false {
          return (.notApplicable(load.hasLocalName ? .localName : .address), decider)
        }
        // A denied local name is an ordinary host: the keys for web views and media still apply to it.
        let judgement = globalJudgement
        return judgement.standing == .inForce ? (.inForce, decider) : judgement
      }
      return globalJudgement
    }

    typealias Judgement = (standing: Decision.Standing, decider: Decision.Decider)

    /// Returns the key that decides a setting for all domains, or the default if the key is absent.
    private func decider(_ key: Key) -> Decision.Decider {
      configuration.globals[key] == nil ? .byDefault : .key(key)
    }

    /// Whether the host is a local name, or an address that is treated as one.
    var isLocal: Bool { load.hasLocalName || profile.knowsDirectAddresses && load.hasDirectAddress }

    /// Whether the host is an address that `NSAllowsLocalNetworking` allows according to its documentation page.
    var isAddressOpened: Bool {
      profile.name == .documentation && load.url.address != nil && configuration.globals.localNetworking == true
    }

    private var globalJudgement: Judgement {
      for key in liftingKeys where key.lift?.isFor(load.loader) == true && configuration.globals[key] == true {
        return (.lifted(by: .key(key)), .key(key))
      }
      let decider = decider(.allowsArbitraryLoads)
      guard allowsArbitraryLoads else { return (.inForce, decider) }
      return overriding.map { (.inForce, .key($0)) } ?? (.lifted(by: decider), decider)
    }

    /// The switches that apply only to the load's loader.
    private var liftingKeys: [Key] {
      Key.lifting.filter(isRead) + (readsEarlyMediaName ? [.allowsArbitraryLoadsInMedia] : [])
    }

    private func isRead(_ key: Key) -> Bool { key.isKnown(to: profile.os) }

    private var readsEarlyMediaName: Bool {
      profile.honoursEarlyMediaName && configuration.globals.media == nil
    }

    /// Whether `NSAllowsArbitraryLoads` is set. For Apple's own apps, the default may be YES.
    private var allowsArbitraryLoads: Bool { configuration.globals.arbitraryLoads ?? load.isApplesOwn }

    private var turnsArbitraryLoadsOff: Bool {
      exemption == nil && entry == nil && allowsArbitraryLoads && overriding != nil
    }

    /// The key whose mere presence turns `NSAllowsArbitraryLoads` off.
    private var overriding: Key? {
      let key = Key.turningArbitraryLoadsOff.last { configuration.globals[$0] != nil && isRead($0) }
      return key
        ?? (readsEarlyMediaName && configuration.globals.mediaByEarlyName != nil ? .allowsArbitraryLoadsInMedia : nil)
    }

    /// The pins for the host. They are part of default server trust, so they apply even if an exception lifts App
    /// Transport Security.
    private var pins: PinnedIdentities? {
      mayBePinned ? configuration.pinnedIdentities(for: load.url.host, os: load.os) : nil
    }

    private var lacksRequiredPins: Bool {
      mayBePinned && configuration.lacksRequiredPins(for: load.url.host, os: load.os)
    }

    private var mayBePinned: Bool { exemption == nil && load.url.isSecure }

    /// The build settings that appear in place of the host's pinned identities.
    var unexpandedIdentities: [String] { pins?.unexpanded ?? [] }

    /// Whether the app pins the host and loads it into a web view.
    var isPinnedInWebView: Bool { load.loader.isWebView && pins != nil }

    /// Whether `NSRequiresCertificateTransparency` applies. Systems that require SCTs of every certificate ignore it.
    var requiresTransparency: Bool {
      exemption == nil && profile.heedsTransparencyKey && entry?.domain.requiresCertificateTransparency == true
    }
  }
}

extension AppTransportSecurity.Deciding {
  /// Returns the findings of all checks before any connection.
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
    let rule =
      load.url.isSecure
      ? Rule.atsInsecureHTTP : .atsInsecureHTTP.helping(load, profile, isExcepted: standing != .inForce)
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
        on: .propertyListKey(
          "\(entry.domain.keyPath).\(AppTransportSecurity.Key.requiresCertificateTransparency.name)"),
        isRequired ? .notEvaluated : .notApplicable,
        confidence: isRequired ? AppTransportSecurity.Profile.transparencyDoubt : .certain)
    ]
  }

  /// Returns the names of the keys that the load depends on and that App Review asks about.
  func appReview(_ standing: AppTransportSecurity.Decision.Standing) -> [String] {
    if let entry {
      return entry.isBuiltIn
        ? [] : AppTransportSecurity.Key.exceptions.filter { $0.isReviewed(in: entry.values) }.map(\.name)
    }
    guard case .lifted(.key(let key)) = standing, key.review != .never else { return [] }
    return [key.name]
  }
}
