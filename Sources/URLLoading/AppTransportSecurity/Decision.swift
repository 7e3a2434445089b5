import Explanation
import TLS
import Trust

extension AppTransportSecurity {
  /// App Transport Security's decision on one load before any connection, and its requirements for the connection.
  public struct Decision: Sendable {
    /// The verdict on the load before any connection.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
      case allowed
      case blocked
      /// No public source shows the verdict.
      case unknown
    }

    /// The reason why App Transport Security is enforced for the load, or is not.
    public enum Standing: Sendable, Hashable {
      /// App Transport Security is in force.
      case inForce
      /// An exception lifts App Transport Security. The exception is the app's, or applies to every app.
      case lifted(by: Decider)
      /// App Transport Security does not apply to the load.
      case notApplicable(Exemption)

      /// Whether App Transport Security applies: it is in force, or would be without an exception.
      var isApplied: Bool { if case .notApplicable = self { false } else { true } }
    }

    /// The key or the entry that decides a load.
    public enum Decider: Sendable, Hashable, CustomStringConvertible {
      /// No key decides, but a default or an exception that applies to every app.
      case byDefault
      /// A key for all domains.
      case key(Key)
      /// An entry of `NSExceptionDomains` and its key, or the entry as a whole.
      case entry(String, Key?)

      /// The path of the key below `NSAppTransportSecurity`, or `default`.
      public var description: String {
        switch self {
        case .byDefault: "default"
        case .key(let key): key.name
        case .entry(let domain, nil): "\(Key.exceptionDomains.name).\(domain)"
        case .entry(let domain, let key?): "\(Key.exceptionDomains.name).\(domain).\(key.name)"
        }
      }
    }

    /// The reason why App Transport Security does not apply, without any exception.
    public enum Exemption: Sendable, Hashable {
      /// The system, or the SDK that the app is linked against, is older than App Transport Security.
      case system, sdk
      /// The loader is not part of the URL Loading System.
      case loader
      case localName, address
      /// The host is an address, and the app is linked with an SDK before iOS 17 or macOS 14.
      case addressOfEarlierSDK
      /// The URL does not lead to the network.
      case scheme
    }

    /// The load.
    public let load: Load
    /// The profile of the systems whose rules decided.
    public let profile: Profile
    /// The reason why App Transport Security is enforced, or is not.
    public let standing: Standing
    /// The key or the entry that decided.
    public let decider: Decider
    /// The name of the entry that applies to the load; nil if there is none.
    package let entryName: String?
    /// The requirements for a secure connection; nil if there are none.
    public let requirements: Requirements?
    /// The names of the keys that the load depends on and that App Review requires an app to justify.
    public let appReview: [String]
    /// Whether the app requires certificate transparency with a key that this system honours.
    public let requiresCertificateTransparency: Bool
    /// The key whose presence turned `NSAllowsArbitraryLoads` off; nil if there is none.
    public let overridingKey: Key?
    /// The NIAP level that the connection must meet too; nil if the app requires none.
    public let niapDemand: NIAPDemand?
    /// The identities that the server's chain must contain; nil if the app pins none, and for loads without TLS.
    public let pinnedIdentities: PinnedIdentities?
    /// Whether `SecTrustPinningRequired` requires pins, but the app has none for the host; false for loads without TLS.
    public let lacksRequiredPins: Bool
    /// The confidence of the verdict, which is the lowest of `doubts`.
    public let confidence: Finding.Confidence
    /// The doubts about the verdict that no source settles, in order.
    public let doubts: [Finding.Confidence]
    /// The findings before any connection.
    public let findings: [Finding]
    /// The violated rules that decide the verdict, each with a fix for this load.
    public let because: [Rule]

    /// The path of the key that decided, below `NSAppTransportSecurity`, or `default`.
    public var decidedBy: String { decider.description }
    /// Whether App Transport Security requires a secure connection.
    public var isRequired: Bool { standing == .inForce }
    /// Whether the app may accept a server that the system does not trust.
    public var trustMayBeLoosened: Bool { !isRequired }
    /// Whether the pins refuse every chain, because no pin has a usable key or required pins are missing.
    public var isShutOutByPins: Bool { lacksRequiredPins || pinnedIdentities?.areMetByNone == true }
    /// Whether `NSExceptionDomains` can have an entry for the load. iOS 9 does not allow addresses.
    public var canBeListed: Bool { load.url.address == nil || profile.addresses != .blocked }
    /// The verdict on the load before any connection.
    public var verdict: Verdict {
      if !because.isEmpty { return .blocked }
      return findings.contains { $0.outcome == .unknown } ? .unknown : .allowed
    }

    /// The errors of a blocked load in the app; empty if the load is not blocked.
    public var errors: [AppError] {
      verdict == .blocked ? AppError.surfacing(because, atsInForce: true, os: load.os).errors : []
    }
  }
}

extension AppTransportSecurity.Decision {
  /// All doubts. Those about the verdict come first, then those about the requirements for a secure connection.
  public var notes: [Finding.Confidence] { load.url.isSecure ? doubts + demandNotes : doubts }

  private var demandNotes: [Finding.Confidence] {
    var notes = requirements.map(requirementNotes) ?? []
    if let niapDemand {
      notes.append(niapDemand.confidence)
      if requirements == nil {
        notes.append(
          .unknown(
            "whether the NIAP profile applies if all other requirements are turned off"))
      }
    }
    if let pins = pinnedIdentities, pins.areMetByNone {
      notes.append(
        .likely(
          "the system refuses every chain after connecting, because \(pins.keyPaths.joined(separator: ", ")) "
            + "contains no usable key")
      )
    }
    if lacksRequiredPins {
      notes.append(
        .likely(
          "the system refuses every chain after connecting, because \(AppTransportSecurity.Key.pinningRequired.name) "
            + "requires pins and the host has none; the key is undocumented, and known from Apple's source code"))
    }
    return notes
  }

  private func requirementNotes(_ requirements: AppTransportSecurity.Requirements) -> [Finding.Confidence] {
    var notes: [Finding.Confidence] = []
    if requirements.cipherSuites == nil {
      notes.append(.unknown("which suites a session offers by default, and whether they include RSA key exchange"))
    } else if requirements.confidence != .certain {
      notes.append(requirements.confidence)
    }
    if !requirements.requiresForwardSecrecy {
      notes.append(
        .conflicting(
          "according to documentation, NSExceptionRequiresForwardSecrecy = NO also removes the check of the key size; "
            + "the open engine keeps it"))
    }
    if let ignored = requirements.ignoredMinimum { notes.append(load.os.confidence(in: ignored)) }
    return notes
  }
}

extension AppTransportSecurity {
  /// The violated rules that a delegate may accept for a load, and those that it must not accept.
  ///
  /// A delegate can always require more than the system does.
  public struct Loosening: Sendable, Hashable {
    /// The reason why a delegate may or may not accept a server that the system does not trust.
    public enum Reason: Sendable, Hashable {
      /// App Transport Security is in force, and refuses a server even if a delegate accepts it.
      case inForce
      /// An exception leaves only the decision about server trust to the app.
      case excepted
      /// App Transport Security requires nothing, so the delegate alone decides.
      case leftAlone
      /// The load does not use TLS, so there is no server to trust.
      case insecure
    }

    /// Whether a delegate may accept a server that the system does not trust.
    public let mayLoosenTrust: Bool
    /// The reason.
    public let reason: Reason
    /// The rules that apply regardless of the delegate, in order.
    public let rulesThatStay: [Rule]
  }
}

extension AppTransportSecurity.Decision {
  /// The decisions that a delegate may make for the load.
  ///
  /// The delegate may accept a server that is not trusted if App Transport Security is not required. The version,
  /// forward secrecy, suites, key size and hash remain required.
  public var loosening: AppTransportSecurity.Loosening {
    if !load.url.isSecure { return .init(mayLoosenTrust: !isRequired, reason: .insecure, rulesThatStay: []) }
    guard let requirements else { return .init(mayLoosenTrust: true, reason: .leftAlone, rulesThatStay: []) }
    let rules: [(Rule, Bool)] = [
      (.atsTLSVersion, true), (.atsNoForwardSecrecy, requirements.requiresForwardSecrecy),
      (.atsCipherSuite, requirements.cipherSuites != nil), (.atsKeySize, requirements.requiresKeySize),
      (.atsLeafHash, requirements.requiresLeafHash), (.atsTrustLoosening, isRequired),
    ]
    return .init(
      mayLoosenTrust: !isRequired, reason: isRequired ? .inForce : .excepted,
      rulesThatStay: rules.filter(\.1).map(\.0))
  }
}
