import Explanation
import Trust
import URLLoading

extension LibraryStep {
  /// The words for a step of a library that pins: the title begins with its release.
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
      EventWords("sets a policy", "SecTrustSetPolicies with \(policy.call), in the place of the system's.")
    case .setAnchors([]):
      EventWords(
        "sets the pinned certificates as anchors", "SecTrustSetAnchorCertificates with none: nothing is trusted now.")
    case .setAnchors(let names):
      EventWords(
        "sets the pinned certificates as anchors",
        "SecTrustSetAnchorCertificates with \(list(names)): no other root is trusted now.")
    case .evaluated(let result, let path, violated: []):
      EventWords("evaluates the trust: \(result)", "The path is \(list(path)).")
    case .evaluated(let result, _, let rules):
      EventWords("evaluates the trust: \(result)", "Violated: \(list(rules.map(\.id))).")
    case .skippedPins(nil):
      EventWords("compares nothing: the trust is not good", "The pins are not looked at any more.")
    case .skippedPins(let enforces?):
      EventWords(
        "compares nothing: the trust is not good",
        "A chain that is not trusted is refused, \(enforces ? "" : "although nothing is enforced, ")and the pins are not "
          + "looked at.")
    case .comparedPins(let byKey, let matches):
      EventWords(
        "compares \(byKey ? "public keys" : "certificates"): \(matches ? "one" : "none") is pinned",
        isAlamofire
          ? "Any certificate of the path will do."
          : "What the app pins is its own affair: the result of SecTrustEvaluate knows nothing of it.")
    case .foundNoPins(let reason?): EventWords("has nothing to compare with", "It throws \(reason.rawValue).")
    case .foundNoPins(nil):
      EventWords(
        "has nothing to compare with", isAlamofire ? "Nothing says so." : "No pin was loaded: no path has one.")
    case .checkedAnchor(isPinned: true): EventWords("is content: the path leads to a pinned certificate")
    case .checkedAnchor(isPinned: false): EventWords("refuses: the chain does not lead to a pinned certificate")
    case .skippedHost:
      EventWords("compares no name", isAlamofire ? "" : "validatesDomainName is NO: a certificate for any host passes.")
    case .comparedPinsOnly(let dates) where !isAlamofire:
      EventWords("leaves the rest alone", "Neither \(dates ? "dates nor host" : "name") count.")
    case .comparedPinsOnly:
      EventWords(
        "leaves dates and host alone",
        library.isAtLeast(5, 0)
          ? "performDefaultValidation and validateHost are false: only the pin counts."
          : "validateCertificateChain is false, and validateHost is not looked at then.")
    case .acceptedEverything: EventWords("accepts whatever is shown", "Nothing is evaluated.")
    case .afNetworking(let event): event.words
    case .alamofire(let event): event.words
    case .trustKit(let event): event.words(in: library)
    }
  }
}

private func list(_ words: [String]) -> String { words.isEmpty ? "nothing" : words.joined(separator: ", ") }

extension TrustObject.Policy {
  /// The calls that make it.
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
      EventWords("does not ask for the challenge", "Without the macro for pinning ServerTrust is left to the system.")
    case .threwInvalidSecurityPolicy:
      EventWords(
        "throws \"Invalid Security Policy\"",
        "AFHTTPSessionManager takes a policy that pins only where its base URL is https: the exception ends the app before "
          + "anything is loaded.")
    case .rejectedProtectionSpace:
      EventWords(
        "rejects the protection space",
        "That is no refusal: the system goes by the trust as it stands, and it is good (fixed in 3.1.0).")
    case .calledChallengeBlock:
      EventWords(
        "calls the app's block in the place of the policy", "The block hands in a credential, and evaluates nothing.")
    case .loadedCertificates(let unloaded):
      EventWords("has loaded the certificates of the app", unloaded.map(\.description).joined(separator: "; "))
    case .threwAtPinnedCertificates: EventWords("throws at pinnedCertificates", "An element is no NSData.")
    case .threwAtPublicKeys:
      EventWords(
        "throws while it makes keys of the pinned certificates",
        "SecCertificateCreateWithData reads DER alone, and until 2.2.4 nobody looks for nil.")
    case .threwAtAnchors:
      EventWords(
        "throws: nil cannot be put into an array",
        "SecCertificateCreateWithData reads DER alone; in Certificate mode what it cannot read ends the app.")
    case .comparedCommonName:
      EventWords(
        "compares the subject's summary with the host",
        "2.2.0 takes the common name, with * in any label of either side; subjectAltName is not looked at.")
    case .requiredPins:
      EventWords(
        "refuses at once: \"…you MUST use pinning\"",
        "allowInvalidCertificates with validatesDomainName and nothing pinned: no server passes, a good one neither.")
    case .comparedEarlierPath:
      EventWords(
        "compares the path that it read before the anchors were set",
        "The pinned certificate is not on that path: nobody had sent it.")
    case .removedHost:
      EventWords(
        "has taken the host out of the system's policy",
        "CVE-2015-3996: before 2.5.3 the default policy compares no name, so that any certificate of any authority will do."
      )
    case .foundNoAnchors: EventWords("has nothing to compare")
    case .comparedWholePath(matches: true): EventWords("asks whether every certificate of the path is pinned: yes")
    case .comparedWholePath(matches: false):
      EventWords(
        "asks whether every certificate of the path is pinned: no",
        "The path holds the root as well, which the server did not send.")
    case .countedKeys(let pairs, let path):
      EventWords(
        "counts equal keys: \(pairs) for a path of \(path)", "Every certificate of the path must have its pair.")
    case .ignoredFiles(let names):
      EventWords("has no key for \(list(names))", "The file is no DER, and nothing says so.")
    }
  }
}

extension Alamofire.Event {
  fileprivate var words: EventWords {
    switch self {
    case .foundNoManager: EventWords("has no manager of server trust", "The challenge is left to the system.")
    case .foundNoEntry(let host, let entries):
      EventWords("has no entry for \(host)", "The host is looked up letter by letter; there is \(list(entries)).")
    case .calledEvaluation(returns: true):
      EventWords("asks the app's own evaluation: yes", "What it looked at is its own affair.")
    case .calledEvaluation(returns: false): EventWords("asks the app's own evaluation: no")
    }
  }
}

extension TrustKit.Event {
  fileprivate func words(in library: LibraryVersion) -> EventWords {
    switch self {
    case .threwAtConfiguration(let error):
      EventWords(
        "throws at its configuration", "The exception ends the app when it starts, before anything is loaded: \(error)."
      )
    case .foundNotPinned(let reason):
      EventWords(
        "says DomainNotPinned",
        "\(reason.description.prefix(1).uppercased())\(reason.description.dropFirst()). Nothing is evaluated or reported."
      )
    case .acceptedUntrustedChain:
      EventWords(
        "lets a chain pass that is not trusted", "Until 1.2.4 nothing was refused where TSKEnforcePinning was NO.")
    case .failedToHash(let name, let throwing):
      EventWords(
        "cannot hash the key of \(name)", throwing ? "1.6.0 to 1.6.5 throw." : "It refuses, also where it only reports."
      )
    case .matchedHash(let name, let entry):
      EventWords("compares hashes of keys, the root's first: \(name).key is pinned", "The entry is that of \(entry).")
    case .matchedNoHash(let mismatch):
      EventWords("compares hashes of keys, the root's first: none is pinned", mismatch.words)
    case .decided(let decision, let result):
      EventWords("says \(decision.rawValue)", "The result is \(result.constant) (\(result.rawValue)).")
    case .acceptedNotPinned:
      EventWords(
        "has not evaluated anything, and the app takes that for a yes",
        "DomainNotPinned is no success: TSKTrustDecision.h warns that validation is off for every other host then.")
    case .foundNoReportServer:
      EventWords(
        "has nobody to report to",
        "TSKReportUris names none, and TSKDisableDefaultReportUri is YES: nobody learns of it.")
    case .postedReport(let report):
      EventWords(
        "posts a report to \(report.destinations.joined(separator: " and "))",
        report.words
          + (library.isAtLeast(1, 4) ? "" : " Until 1.3 builds for debugging leave Data Theorem's server out."))
    }
  }
}

extension TrustKit.Mismatch {
  fileprivate var words: String {
    switch self {
    case .underUserAnchor: "The root was installed by a user, which macOS alone tells; nothing is reported."
    case .reportOnly: "TSKEnforcePinning is NO: the connection goes on."
    case .enforced: "TSKEnforcePinning is YES: the connection is refused."
    }
  }
}

extension PinFailureReport {
  fileprivate var words: String {
    let facts = members.map { "\($0.name) \($0.value)" }.joined(separator: "; ")
    return "JSON by POST, \(enforcesPinning ? "beside the refusal" : "which is all that happens"): \(facts). The same "
      + "report is not sent again within 24 hours, and its own connection is not pinned."
      + (destinations == [PinFailureReport.defaultDestination]
        ? " No TSKReportUris are set: it goes to Data Theorem, whom the library is of." : "")
  }
}
