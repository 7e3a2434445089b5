import Advice
import TLS
import URLLoading

extension AppTransportSecurity.DemandFlag {
  /// Returns the words for a decision to which the requirement was added, or from which it was removed.
  func words(isOn: Bool) -> String {
    switch self {
    case .forwardSecrecy: isOn ? "forward secrecy is required" : "forward secrecy is waived"
    case .certificateTransparency:
      isOn ? "Certificate Transparency is required" : "Certificate Transparency is no longer required"
    case .looseTrust:
      isOn ? "the app may accept a server that the system does not trust" : "the app may no longer loosen trust"
    }
  }
}

extension AppTransportSecurity.DemandChange {
  /// The changed requirement in words.
  var words: String {
    switch self {
    case .version(let old, let new): "\(Self.words(old)) → \(Self.words(new))"
    case .flag(let flag, let isOn): flag.words(isOn: isOn)
    case .niapPackage(let old, let new): Self.words(from: old, to: new)
    case .pins(isOn: true): "the server is pinned"
    case .pins(isOn: false): "the server is no longer pinned"
    case .unexpandedPins: "other keys are pinned"
    case .pinList(let list, let change): Self.words(list == .leaf ? "leaf" : "CA", change)
    case .readmitted(let byMissingPins):
      byMissingPins ? "no longer refused for lack of pins" : "a key can match its pins again"
    case .shutOut(let byMissingPins):
      "refused after connecting: " + (byMissingPins ? "pins are required, and it has none" : "no key matches its pins")
    }
  }

  private static func words(_ version: ProtocolVersion?) -> String { version.map { "\($0) or later" } ?? "any version" }

  private static func words(_ whose: String, _ change: ListChange) -> String {
    switch change {
    case .added: "\(whose) keys are also pinned"
    case .removed: "\(whose) keys are no longer pinned"
    case .fewer(let count, let before): "fewer \(whose) keys are accepted: \(count) instead of \(before)"
    case .more(let count, let before): "more \(whose) keys are accepted: \(count) instead of \(before)"
    case .other: "other \(whose) keys are pinned"
    }
  }

  /// Returns the change of a NIAP level and its requirements (documentation of NSRequiresNIAPTLSPackageVersion).
  private static func words(
    from old: AppTransportSecurity.NIAPPackage?, to new: AppTransportSecurity.NIAPPackage?
  ) -> String {
    let demand = " (in TLS 1.2: an extended master secret, and only ECDHE with AES-GCM)"
    guard let new else { return "NIAP's \(old?.rawValue ?? "") is no longer required\(demand)" }
    return old.map { "NIAP's \(new.rawValue) is required instead of \($0.rawValue)" }
      ?? "NIAP's \(new.rawValue) is required\(demand)"
  }
}

extension AppTransportSecurity.UnknownSetting {
  /// The value in words. It is unknown until the build setting is expanded.
  var words: String {
    switch self {
    case .host(let name): "the host '\(name)' is a build setting that is not replaced yet"
    case .text(let text, let path): "the value '\(text)' at \(path) is a build setting that is not replaced yet"
    }
  }
}

extension AppTransportSecurity.ExceptionAnswer.Reason {
  /// A sentence about the protection that the key removes.
  var cost: String {
    switch key.lift {
    case .allLoads:
      return "App Transport Security no longer applies to any load, except loads from hosts in NSExceptionDomains."
    case .media: return "App Transport Security no longer applies to media loads of AVFoundation."
    case .webContent: return "App Transport Security no longer applies to loads of web views."
    case .localNames: return "App Transport Security no longer applies to loads from local names."
    case nil: break
    }
    guard case .weakens(let demand) = key.effect else { return "" }
    let host = host ?? ""
    return switch demand.content {
    case .flag(.looseTrust, _):
      "anyone on the path to \(host) can read and change loads over http://. Over https://, the app may accept a "
        + "server that the system does not trust."
    case .version: "\(host) may use \(value.string ?? ""), which RFC 8996 deprecated."
    case .flag(.forwardSecrecy, _): "an attacker that obtains the key of \(host) later can decrypt earlier recordings."
    case .flag(.certificateTransparency, _), .cipherSuites, .niapPackage, .pins: ""
    }
  }
}
