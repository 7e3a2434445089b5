import Explanation
import Trust

extension AppTransportSecurity {
  /// Decides about one load: the algorithm of Apple's open engine, in the profile of the load's system.
  ///
  /// - Parameters:
  ///   - load: what is loaded, with what, on what.
  ///   - configuration: the app's `NSAppTransportSecurity` dictionary.
  ///   - profile: how the system decides, when it is not to be told from the load's system.
  ///   - enforcement: the rules in force.
  public static func decide(
    _ load: Load, by configuration: Configuration, profile: Profile? = nil, enforcement: Enforcement = .standard
  ) -> Decision {
    Deciding(load: load, configuration: configuration, profile: profile ?? Profile(load.os)).decision(enforcement)
  }

  /// The facts of one decision while it is made.
  struct Deciding {
    let load: Load
    let configuration: Configuration
    let profile: Profile
    let entry: Entry?

    init(load: Load, configuration: Configuration, profile: Profile) {
      self.load = load
      self.configuration = configuration
      self.profile = profile
      entry = configuration.entry(for: load.url, profile)
    }

    func decision(_ enforcement: Enforcement) -> Decision {
      let (standing, decidedBy) = exemption.map { (.notApplicable($0), "default") } ?? judgement
      let isLeftAlone = if case .notApplicable = standing { true } else { standing != .inForce && entry == nil }
      let applies = exemption == nil
      let confidence = applies ? self.confidence : .certain
      return Decision(
        load: load, profile: profile, standing: standing, decidedBy: decidedBy,
        requirements: isLeftAlone ? nil : Requirements(entry, profile), appReview: applies ? appReview : [],
        requiresCertificateTransparency: heedsTransparency,
        confidence: confidence, findings: findings(standing, confidence, enforcement))
    }

    /// Why nothing in the dictionary matters.
    private var exemption: Decision.Exemption? {
      if profile.name == .none { return .system }
      if let sdk = load.linkedSDK, Profile(sdk).name == .none { return .sdk }
      if !load.loader.isCovered { return .loader }
      return ["file", "data", "about", "blob", "javascript"].contains(load.url.scheme) ? .scheme : nil
    }

    /// Whether a secure connection is required, and which key says so.
    private var judgement: (standing: Decision.Standing, decidedBy: String) {
      if let entry {
        let path = entry.isBuiltIn ? "default" : entry.insecureLoadsKeyPath
        return (entry.allowsInsecureHTTPLoads ? .lifted(by: path) : .inForce, path)
      }
      if load.url.address != nil, profile.addresses == .allowed { return (.notApplicable(.address), "default") }
      let isDirect = load.hasDirectAddress && profile.addresses == .listed
      if isDirect || load.hasLocalName, profile.localNames != .ordinary {
        let path = configuration.globals.localNetworking == nil ? "default" : Key.allowsLocalNetworking
        if profile.localNames == .allowed || configuration.globals.localNetworking != false {
          return (.notApplicable(isDirect ? .address : .localName), path)
        }
        return (.inForce, path)
      }
      return globalJudgement
    }

    private var globalJudgement: (standing: Decision.Standing, decidedBy: String) {
      let globals = configuration.globals
      let path = globals.arbitraryLoads == nil ? "default" : Key.allowsArbitraryLoads
      guard profile.knowsNewerGlobals else {
        return (globals.arbitraryLoads == true ? .lifted(by: path) : .inForce, path)
      }
      if media?.isOn == true, load.loader == .avFoundation { return lifted(media?.key) }
      if globals.webContent == true, load.loader.isWebView { return lifted(Key.allowsArbitraryLoadsInWebContent) }
      if let overriding {
        return (.inForce, globals.arbitraryLoads == true ? overriding : path)
      }
      return (globals.arbitraryLoads == true ? .lifted(by: path) : .inForce, path)
    }

    private func lifted(_ key: String?) -> (standing: Decision.Standing, decidedBy: String) {
      (.lifted(by: key ?? "default"), key ?? "default")
    }

    /// The key whose mere presence turns `NSAllowsArbitraryLoads` off.
    private var overriding: String? {
      if configuration.globals.localNetworking != nil { return Key.allowsLocalNetworking }
      if configuration.globals.webContent != nil { return Key.allowsArbitraryLoadsInWebContent }
      return media?.key
    }

    private var media: (key: String, isOn: Bool)? {
      if let isOn = configuration.globals.media { return (Key.allowsArbitraryLoadsForMedia, isOn) }
      guard profile.honoursEarlyMediaName, let isOn = configuration.globals.mediaByEarlyName else { return nil }
      return (Key.allowsArbitraryLoadsInMedia, isOn)
    }

    /// `NSRequiresCertificateTransparency` is ignored since the demand is universal.
    var heedsTransparency: Bool {
      exemption == nil && profile.name == .ios10 && entry?.domain.requiresCertificateTransparency == true
    }
  }
}
