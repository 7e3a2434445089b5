import Explanation
import TLS
import Trust

extension AppTransportSecurity {
  /// What App Transport Security says about one load before any connection, and what it will demand of one.
  public struct Decision: Sendable {
    /// What becomes of the load, before any connection.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
      case allowed
      case blocked
      /// Nothing public tells.
      case unknown
    }

    /// Why App Transport Security is in force for the load, or is not.
    public enum Standing: Sendable, Hashable {
      /// It is in force.
      case inForce
      /// An exception lifts it: one of the app's, or one that every app has.
      case lifted(by: Decider)
      /// It does not apply.
      case notApplicable(Exemption)

      /// Whether it applies: it is in force, or would be without an exception.
      var isApplied: Bool { if case .notApplicable = self { false } else { true } }
    }

    /// The key or the entry that decides about a load.
    public enum Decider: Sendable, Hashable, CustomStringConvertible {
      /// No key: a default, or an exception that every app has.
      case byDefault
      /// A key for all domains.
      case key(Key)
      /// An entry of `NSExceptionDomains`: a key of it, or the entry as a whole.
      case entry(String, Key?)

      /// The path of the key without `NSAppTransportSecurity`, or `default`.
      public var description: String {
        switch self {
        case .byDefault: "default"
        case .key(let key): key.name
        case .entry(let domain, nil): "\(Key.exceptionDomains.name).\(domain)"
        case .entry(let domain, let key?): "\(Key.exceptionDomains.name).\(domain).\(key.name)"
        }
      }
    }

    /// Why it does not apply without anyone's exception.
    public enum Exemption: Sendable, Hashable {
      /// The system, or the SDK that the app is linked against, is older than App Transport Security.
      case system, sdk
      /// The loader is not part of the URL Loading System.
      case loader
      case localName, address
      /// The host is an address, and the app is linked with an SDK before iOS 17 and macOS 14.
      case addressOfEarlierSDK
      /// The URL does not lead to the network.
      case scheme
    }

    /// The load.
    public let load: Load
    /// The era of systems that decided.
    public let profile: Profile
    /// Why App Transport Security is in force, or is not.
    public let standing: Standing
    /// The key or the entry that decided.
    public let decider: Decider
    /// The name of the entry that the load falls under; nil for none.
    package let entryName: String?
    /// What will be demanded of a secure connection; nil when everything is left alone.
    public let requirements: Requirements?
    /// The names of the keys that App Review asks about, of those that the load rests on.
    public let appReview: [String]
    /// Whether the app asks for certificate transparency in a way that this system heeds.
    public let requiresCertificateTransparency: Bool
    /// The key whose mere presence turned `NSAllowsArbitraryLoads` off; nil when none did.
    public let overridingKey: Key?
    /// The level of NIAP that the connection must meet too; nil when the app asks for none.
    public let niapDemand: NIAPDemand?
    /// The identities that the server's chain must have; nil when the app pins none, and for loads without TLS.
    public let pinnedIdentities: PinnedIdentities?
    /// Whether `SecTrustPinningRequired` demands pins, and the app has none for the host; never for loads without TLS.
    public let lacksRequiredPins: Bool
    /// How well known the verdict is: the gravest of `doubts`.
    public let confidence: Finding.Confidence
    /// Everything about the verdict that no source settles, in order.
    public let doubts: [Finding.Confidence]
    /// What was checked before any connection.
    public let findings: [Finding]
    /// The violated rules that decide; each says what helps this load.
    public let because: [Rule]

    /// The path of the key that decided, without `NSAppTransportSecurity`, or `default`.
    public var decidedBy: String { decider.description }
    /// Whether App Transport Security requires a secure connection.
    public var isRequired: Bool { standing == .inForce }
    /// Whether the app may accept a server that the system does not trust.
    public var trustMayBeLoosened: Bool { !isRequired }
    /// Whether no chain that the server could present is accepted: pins without a usable key are met by none, and where
    /// pins are demanded and missing every one is refused.
    public var isShutOutByPins: Bool { lacksRequiredPins || pinnedIdentities?.areMetByNone == true }
    /// Whether `NSExceptionDomains` could have an entry for the load: addresses cannot be listed on iOS 9.
    public var canBeListed: Bool { load.url.address == nil || profile.addresses != .blocked }
    /// What becomes of the load before any connection.
    public var verdict: Verdict {
      if !because.isEmpty { return .blocked }
      return findings.contains { $0.outcome == .unknown } ? .unknown : .allowed
    }

    /// What the app sees of a blocked load; empty otherwise.
    public var errors: [AppError] {
      verdict == .blocked ? AppError.surfacing(because, atsInForce: true, os: load.os).errors : []
    }
  }
}

extension AppTransportSecurity.Decision {
  /// Everything that no source settles: about the verdict, then about what is demanded of a secure connection.
  public var notes: [Finding.Confidence] { load.url.isSecure ? doubts + demandNotes : doubts }

  private var demandNotes: [Finding.Confidence] {
    var notes = requirements.map(requirementNotes) ?? []
    if let niapDemand {
      notes.append(niapDemand.confidence)
      if requirements == nil { notes.append(.unknown("whether NIAP's level holds where the rest is lifted")) }
    }
    if let pins = pinnedIdentities, pins.areMetByNone {
      notes.append(
        .likely("every chain is refused after connecting: \(pins.keyPaths.joined(separator: ", ")) lists no usable key")
      )
    }
    if lacksRequiredPins {
      notes.append(
        .likely(
          "every chain is refused after connecting: \(AppTransportSecurity.Key.pinningRequired.name) demands pins, and "
            + "there are none for the host; the key is undocumented, known from Apple's source"))
    }
    return notes
  }

  private func requirementNotes(_ requirements: AppTransportSecurity.Requirements) -> [Finding.Confidence] {
    var notes: [Finding.Confidence] = []
    if requirements.cipherSuites == nil {
      notes.append(.unknown("which suites a session offers by itself, and whether RSA key exchange is among them"))
    } else if requirements.confidence != .certain {
      notes.append(requirements.confidence)
    }
    if !requirements.requiresForwardSecrecy {
      notes.append(
        .conflicting(
          "by documentation NSExceptionRequiresForwardSecrecy = NO also ends the check of the key's size; "
            + "the open engine keeps it"))
    }
    if requirements.minimumVersion < .tls12, load.os.isAtLeast(iOS: (26, 0), macOS: (26, 0)) {
      notes.append(.unknown("whether the system still negotiates TLS 1.0 and 1.1; deprecated since iOS 15"))
    }
    return notes
  }
}

extension AppTransportSecurity {
  /// What a delegate may accept for a load although a rule is violated, and what it may not.
  ///
  /// A delegate can always demand more than the system does.
  public struct Loosening: Sendable, Hashable {
    /// Why a delegate may accept a server that the system does not trust, or may not.
    public enum Reason: Sendable, Hashable {
      /// App Transport Security is in force: it refuses a server that a delegate accepts.
      case inForce
      /// An exception leaves server trust to the app, and nothing else.
      case excepted
      /// App Transport Security makes no demand: a delegate decides alone.
      case leftAlone
      /// There is no TLS, and no server to trust.
      case insecure
    }

    /// Whether a delegate may accept a server that the system does not trust.
    public let mayLoosenTrust: Bool
    /// Why.
    public let reason: Reason
    /// The rules that hold whatever a delegate says, in order.
    public let rulesThatStay: [Rule]
  }
}

extension AppTransportSecurity.Decision {
  /// What a delegate may loosen: server trust where App Transport Security is not required; version, forward secrecy,
  /// suites, key size and hash stay wherever they are demanded.
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
