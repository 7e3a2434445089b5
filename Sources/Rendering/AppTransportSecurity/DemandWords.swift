import Advice
import TLS
import URLLoading

extension AppTransportSecurity.DemandFlag {
  /// The words for a decision that has it, or no longer has it.
  func words(isOn: Bool) -> String {
    switch self {
    case .forwardSecrecy: isOn ? "forward secrecy is demanded" : "forward secrecy is waived"
    case .certificateTransparency:
      isOn ? "certificate transparency is demanded" : "certificate transparency is demanded no more"
    case .looseTrust:
      isOn ? "the app may accept a server that the system does not trust" : "the app may loosen trust no more"
    }
  }
}

extension AppTransportSecurity.DemandChange {
  /// What is demanded otherwise.
  var words: String {
    switch self {
    case .version(let old, let new): "\(Self.words(old)) → \(Self.words(new))"
    case .flag(let flag, let isOn): flag.words(isOn: isOn)
    case .niapPackage(let old, let new): Self.words(from: old, to: new)
    case .pins(isOn: true): "the server is pinned"
    case .pins(isOn: false): "the server is pinned no more"
    case .unexpandedPins: "other keys are pinned"
    case .pinList(let list, let change): Self.words(list == .leaf ? "leaf" : "CA", change)
    case .readmitted(let byMissingPins):
      byMissingPins ? "refused no more for want of pins" : "pins can be met again"
    case .shutOut(let byMissingPins):
      "refused after connecting: " + (byMissingPins ? "pins are demanded, and it has none" : "no key meets its pins")
    }
  }

  private static func words(_ version: ProtocolVersion?) -> String { version.map { "\($0) or later" } ?? "any version" }

  private static func words(_ whose: String, _ change: ListChange) -> String {
    switch change {
    case .added: "\(whose) keys are pinned as well"
    case .removed: "\(whose) keys are pinned no more"
    case .fewer(let count, let before): "fewer \(whose) keys will do: \(count) in the place of \(before)"
    case .more(let count, let before): "more \(whose) keys will do: \(count) in the place of \(before)"
    case .other: "other \(whose) keys are pinned"
    }
  }

  /// What a level of NIAP demands: documentation of NSRequiresNIAPTLSPackageVersion.
  private static func words(
    from old: AppTransportSecurity.NIAPPackage?, to new: AppTransportSecurity.NIAPPackage?
  ) -> String {
    let demand = "in TLS 1.2 an extended master secret, and ECDHE with AES-GCM alone"
    guard let new else { return "NIAP's \(old?.rawValue ?? "") is demanded no more: \(demand)" }
    return old.map { "NIAP's \(new.rawValue) is demanded in the place of \($0.rawValue)" }
      ?? "NIAP's \(new.rawValue) is demanded: \(demand)"
  }
}

extension AppTransportSecurity.UnknownSetting {
  /// What is not known before it is replaced.
  var words: String {
    switch self {
    case .host(let name): "which host '\(name)' is, a build setting that is not replaced yet"
    case .text(let text, let path): "what '\(text)' says at \(path), a build setting that is not replaced yet"
    }
  }
}

extension AppTransportSecurity.ExceptionAnswer.Reason {
  /// What the key takes away, as a sentence.
  var cost: String {
    switch key.lift {
    case .allLoads: return "every load loses App Transport Security, except of hosts that NSExceptionDomains lists."
    case .media: return "everything that AVFoundation plays loses it."
    case .webContent: return "everything that a web view loads loses it."
    case .localNames: return "local names lose it."
    case nil: break
    }
    guard case .weakens(let demand) = key.effect else { return "" }
    let host = host ?? ""
    return switch demand.content {
    case .flag(.looseTrust, _):
      "anyone on the way to \(host) can read and change what is loaded over http://; over https:// the app may "
        + "accept a server that the system does not trust."
    case .version: "\(host) may answer with \(value.string ?? ""), which RFC 8996 withdrew."
    case .flag(.forwardSecrecy, _): "who comes by the key of \(host) one day can read what was recorded before."
    case .flag(.certificateTransparency, _), .cipherSuites, .niapPackage, .pins: ""
    }
  }
}
