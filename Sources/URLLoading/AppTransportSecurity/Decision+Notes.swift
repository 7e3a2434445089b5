import Explanation
import TLS
import Trust

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
    if pinnedIdentities != nil, load.loader.isWebView {
      notes.append(.likely("web views were seen to pass over NSPinnedDomains in 2021"))
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
