import Explanation
import Trust

/// The requirements by which a client or a server validates certification paths, as a scenario describes them.
public struct ValidationProfileDescription: Sendable, Hashable {
  /// The effect of a certificate that violates RFC 5280 section 4.
  public enum Conformance: String, Sendable, Hashable, CaseIterable {
    case advised, required, pedantic
  }

  /// The set of requirements; nil for the default of the client or server.
  public internal(set) var name: TrustProfile?
  /// The effect of the standard's requirements on CAs.
  public internal(set) var conformance = Conformance.advised
  /// The maximum number of intermediate certificates; nil for any number.
  public internal(set) var maximumIntermediates: Int?
  /// The maximum number of signatures that one validation verifies; nil for the default limit.
  public internal(set) var maximumSignatures: Int?
  /// Whether paths may contain proxy certificates.
  public internal(set) var allowsProxies = false

  static let section = Section<ValidationProfileDescription>(
    "profile", "The requirements for certification paths, in addition to those of path validation.",
    [
      .term(
        "name", .profileName, "the set of requirements; default: apple for a client, rfc5280 for a server",
        into: \.name),
      .term(
        "conformance", .choice(called: "conformance"),
        "whether a violation of RFC 5280's requirements on CAs refuses a path (required), also if the standard asks "
          + "for leniency (pedantic), or is advice (advised); default: advised",
        into: \.conformance),
      .term(
        "maximumIntermediates", .integer(0...100),
        "the maximum number of intermediate certificates on a path; default: no limit", into: \.maximumIntermediates),
      .term(
        "maximumSignatures", .integer(0...2048),
        "the maximum number of signatures that one validation verifies; default: 2048", into: \.maximumSignatures),
      .term(
        "proxyCertificates", .flag, "whether a path may contain proxy certificates (RFC 3820); default: false",
        into: \.allowsProxies),
    ])

  /// Changes `requirements` to these. Only Apple's profile depends on the client's system.
  func apply(to requirements: inout TrustRequirements) {
    if let name { requirements.profile = name }
    if requirements.profile != .apple { requirements.os = nil }
    requirements.conformance =
      switch conformance {
      case .advised: .advised
      case .required: .required
      case .pedantic: .pedantic
      }
    requirements.limits.maximumIntermediates = maximumIntermediates
    if let maximumSignatures { requirements.limits.maximumSignatures = maximumSignatures }
    requirements.inputs.allowsProxyCertificates = allowsProxies
  }

  /// The sentence that `describe` prints about the profile.
  public var sentence: String {
    let extras = [
      conformance == .advised ? nil : "\(conformance.rawValue) conformance",
      maximumIntermediates.map { "at most \($0) intermediate certificates" },
      maximumSignatures.map { "at most \($0) signatures" },
      allowsProxies ? "proxy certificates" : nil,
    ].compactMap(\.self)
    let profile = name.map { "the profile \($0.rawValue)" } ?? "its usual profile"
    return "It validates certificates by \(profile)" + (extras.isEmpty ? "." : ", with \(extras.listed).")
  }
}

extension Kind<TrustProfile> {
  /// The name of a set of requirements.
  static var profileName: Kind { .choice(called: "profile") }
}

extension Kind<ValidationProfileDescription> {
  /// A profile: its name, or a map.
  static var validationProfile: Kind {
    let section = Kind.section(ValidationProfileDescription.section) { ValidationProfileDescription() }
    return Kind(.either([Kind<TrustProfile>.profileName.shape, section.shape])) { reader in
      guard reader.node.entries == nil else { return section.read(reader) }
      return Kind<TrustProfile>.profileName.read(reader).map { name in
        var profile = ValidationProfileDescription()
        profile.name = name
        return profile
      }
    }
  }
}

/// A server's trust setting for a certificate in the path of a client.
public enum ClientTrustSetting: String, Sendable, Hashable, CaseIterable {
  /// The server distrusts the certificate and the certificates that it issued.
  case distrusted
  /// The server's administrator marked the certificate Never Trust.
  case never
}
