import Explanation
import Trust
import URLLoading

extension LibraryStep {
  /// The words for a step of a pinning library. The title begins with the library's release.
  var words: EventWords {
    let words = event.words(in: library)
    return EventWords("\(library) \(words.title)", words.narration)
  }
}

extension LibraryEvent {
  fileprivate func words(in library: LibraryVersion) -> EventWords {
    let isAlamofire = library.library == .alamofire
    return switch self {
    case .setPolicy(let policy):
      EventWords("sets a policy", "SecTrustSetPolicies replaces the system's policy with \(policy.call).")
    case .setAnchors([]):
      EventWords(
        "sets the pinned certificates as anchors",
        "SecTrustSetAnchorCertificates gets an empty array, so nothing is trusted now.")
    case .setAnchors(let names):
      EventWords(
        "sets the pinned certificates as anchors",
        "SecTrustSetAnchorCertificates gets \(list(names)). No other root is trusted now.")
    case .evaluated(let result, let path, violated: []):
      EventWords("evaluates the trust: \(result)", "The path is \(list(path)).")
    case .evaluated(let result, _, let rules):
      EventWords("evaluates the trust: \(result)", "Violated: \(list(rules.map(\.id))).")
    case .skippedPins(nil):
      EventWords("compares no pins: the chain is not trusted", "The pins are not checked.")
    case .skippedPins(let enforces?):
      EventWords(
        "compares no pins: the chain is not trusted",
        "An untrusted chain is refused, \(enforces ? "" : "although pinning is not enforced, ")and the pins are not "
          + "checked.")
    case .comparedPins(let byKey, let matches):
      EventWords(
        "compares \(byKey ? "public keys" : "certificates"): \(matches ? "one" : "none") is pinned",
        isAlamofire
          ? "Any certificate in the path may match."
          : "The pins are the app's own: they do not affect the result of SecTrustEvaluate.")
    case .foundNoPins(let reason?): EventWords("has no pins to compare with", "It throws \(reason.rawValue).")
    case .foundNoPins(nil):
      EventWords(
        "has no pins to compare with", isAlamofire ? "It reports no error." : "No pin was loaded, so no path matches.")
    case .checkedAnchor(isPinned: true): EventWords("accepts: the path leads to a pinned certificate")
    case .checkedAnchor(isPinned: false): EventWords("refuses: the chain does not lead to a pinned certificate")
    case .skippedHost:
      EventWords(
        "does not check the host name",
        isAlamofire ? "" : "validatesDomainName is NO, so a certificate for any host passes.")
    case .comparedPinsOnly(let dates) where !isAlamofire:
      EventWords("checks nothing else", "It checks \(dates ? "neither dates nor host" : "no name").")
    case .comparedPinsOnly:
      EventWords(
        "ignores dates and host",
        library.isAtLeast(5, 0)
          ? "performDefaultValidation and validateHost are false: only the pin is checked."
          : "validateCertificateChain is false, so validateHost is ignored.")
    case .acceptedEverything: EventWords("accepts any certificate", "Nothing is evaluated.")
    case .afNetworking(let event): event.words
    case .alamofire(let event): event.words
    case .trustKit(let event): event.words(in: library)
    }
  }
}

private func list(_ words: [String]) -> String { words.isEmpty ? "nothing" : words.joined(separator: ", ") }

extension TrustObject.Policy {
  /// The API calls that perform the step.
  fileprivate var call: String {
    switch self {
    case .ssl(let host?): "SecPolicyCreateSSL(true, \(host))"
    case .ssl(nil): "SecPolicyCreateSSL(true, NULL)"
    case .basic: "SecPolicyCreateBasicX509()"
    case .revocation: "SecPolicyCreateRevocation(…)"
    case .sslAndRevocation(let host): "\(Self.ssl(host: host).call) and SecPolicyCreateRevocation(…)"
    }
  }
}

extension AFNetworking.Event {
  fileprivate var words: EventWords {
    switch self {
    case .leftChallenge:
      EventWords("does not handle the challenge", "Without the macro for pinning, the system handles ServerTrust.")
    case .threwInvalidSecurityPolicy:
      EventWords(
        "throws \"Invalid Security Policy\"",
        "AFHTTPSessionManager accepts a pinning policy only if its base URL is https: the exception ends the app "
          + "before anything is loaded.")
    case .rejectedProtectionSpace:
      EventWords(
        "rejects the protection space",
        "This does not refuse the server: the system evaluates the trust itself and accepts the server (fixed in "
          + "3.1.0).")
    case .calledChallengeBlock:
      EventWords(
        "calls the app's block instead of the policy", "The block passes a credential and evaluates nothing.")
    case .loadedCertificates(let unloaded):
      EventWords("has loaded the certificates of the app", unloaded.map(\.description).joined(separator: "; "))
    case .threwAtPinnedCertificates: EventWords("throws at pinnedCertificates", "An element is not NSData.")
    case .threwAtPublicKeys:
      EventWords(
        "throws while it extracts keys from the pinned certificates",
        "SecCertificateCreateWithData reads only DER, and the library up to 2.2.4 does not check for nil.")
    case .threwAtAnchors:
      EventWords(
        "throws: nil cannot be put into an array",
        "SecCertificateCreateWithData reads only DER; in Certificate mode, an unreadable file ends the app.")
    case .comparedCommonName:
      EventWords(
        "compares the subject's summary with the host",
        "Version 2.2.0 compares the common name, accepts * in any label of either name, and ignores subjectAltName.")
    case .requiredPins:
      EventWords(
        "refuses at once: \"…you MUST use pinning\"",
        "allowInvalidCertificates and validatesDomainName are set, but nothing is pinned: no server passes, not even "
          + "the genuine one.")
    case .comparedEarlierPath:
      EventWords(
        "compares the path that it read before the anchors were set",
        "The pinned certificate is not on that path: the server did not send it.")
    case .removedHost:
      EventWords(
        "has removed the host from the system's policy",
        "CVE-2015-3996: before 2.5.3, the default policy compares no name, so any certificate from any CA passes."
      )
    case .foundNoAnchors: EventWords("has nothing to compare")
    case .comparedWholePath(matches: true): EventWords("checks whether every certificate in the path is pinned: yes")
    case .comparedWholePath(matches: false):
      EventWords(
        "checks whether every certificate in the path is pinned: no",
        "The path also contains the root, which the server did not send.")
    case .countedKeys(let pairs, let path):
      EventWords(
        "counts equal keys: \(pairs) for a path of \(path)",
        "Every certificate in the path must have an equal key among the pins.")
    case .ignoredFiles(let names):
      EventWords("has no key for \(list(names))", "The file is not DER, and the library reports nothing.")
    }
  }
}

extension Alamofire.Event {
  fileprivate var words: EventWords {
    switch self {
    case .foundNoManager: EventWords("has no server trust manager", "The system handles the challenge.")
    case .foundNoEntry(let host, let entries):
      EventWords("has no entry for \(host)", "The library looks up the exact host name. Its entries: \(list(entries)).")
    case .calledEvaluation(returns: true):
      EventWords("calls the app's own evaluation: yes", "The app defines the checks.")
    case .calledEvaluation(returns: false): EventWords("calls the app's own evaluation: no")
    }
  }
}

extension TrustKit.Event {
  fileprivate func words(in library: LibraryVersion) -> EventWords {
    switch self {
    case .threwAtConfiguration(let error):
      EventWords(
        "throws when it is configured",
        "The exception ends the app when it starts, before anything is loaded: \(error)."
      )
    case .foundNotPinned(let reason):
      EventWords(
        "returns DomainNotPinned",
        "\(reason.description.prefix(1).uppercased())\(reason.description.dropFirst()). Nothing is "
          + "evaluated or reported."
      )
    case .acceptedUntrustedChain:
      EventWords(
        "accepts an untrusted chain", "Until 1.2.4, TrustKit refused nothing if TSKEnforcePinning was NO.")
    case .failedToHash(let name, let throwing):
      EventWords(
        "cannot hash the key of \(name)",
        throwing ? "Versions 1.6.0 to 1.6.5 throw an exception." : "It refuses the server, even in report-only mode."
      )
    case .matchedHash(let name, let entry):
      EventWords(
        "compares hashes of keys, the root's first: \(name).key is pinned", "The pin is in the entry for \(entry).")
    case .matchedNoHash(let mismatch):
      EventWords("compares hashes of keys, the root's first: none is pinned", mismatch.words)
    case .decided(let decision, let result):
      EventWords("returns \(decision.rawValue)", "The result is \(result.constant) (\(result.rawValue)).")
    case .acceptedNotPinned:
      EventWords(
        "has not evaluated anything, and the app treats that as success",
        "DomainNotPinned is not success: TSKTrustDecision.h warns that this disables validation for every other host.")
    case .foundNoReportServer:
      EventWords(
        "has no report server",
        "TSKReportUris names no server, and TSKDisableDefaultReportUri is YES, so the mismatch is not reported.")
    case .postedReport(let report):
      EventWords(
        "posts a report to \(report.destinations.joined(separator: " and "))",
        report.words
          + (library.isAtLeast(1, 4) ? "" : " Until 1.3, debug builds omit Data Theorem's server."))
    }
  }
}

extension TrustKit.Mismatch {
  fileprivate var words: String {
    switch self {
    case .underUserAnchor: "A user installed the root, which only macOS can detect. Nothing is reported."
    case .reportOnly: "TSKEnforcePinning is NO: the connection continues."
    case .enforced: "TSKEnforcePinning is YES: the connection is refused."
    }
  }
}

extension PinFailureReport {
  fileprivate var words: String {
    let facts = members.map { "\($0.name) \($0.value)" }.joined(separator: "; ")
    return
      "TrustKit posts JSON, \(enforcesPinning ? "in addition to the refusal" : "which is the only effect"): \(facts). "
      + "It does not repeat the same report within 24 hours, and does not pin the connection of the report."
      + (destinations == [PinFailureReport.defaultDestination]
        ? " No TSKReportUris are set, so the report goes to Data Theorem, the library's publisher." : "")
  }
}
