import Scenarios
import URLLoading

/// Explains the terms of authentication challenges: classes, methods, constants, answers, and delegates.
extension ExplainView {
  /// The explanations of all terms about challenges.
  static let challengeWords =
    AuthenticationMethod.allCases.flatMap { [$0.constant, $0.rawValue] }
    + ChallengeDisposition.allCases.flatMap { [$0.name, $0.rawValue] + $0.otherNames }
    + DelegateMethod.allCases.map(\.selector)
    + LoadingInterface.allCases.map(\.rawValue) + Credential.Persistence.allCases.map(\.constant)
    + DelegatePreset.names.filter { $0 != "default" } + statuses.map(\.name)
    + LibraryVersion.Name.allCases.map(\.rawValue) + LibraryVersion.all.map(\.description)
    + ProtectionSpace.ProxyType.allCases.map(\.constant) + versionTable

  static func challengeWord(_ word: String) -> [WordExplanation] {
    method(word) + disposition(word) + delegateMethod(word) + persistence(word) + preset(word) + status(word)
      + library(word) + interface(word) + proxyType(word) + versions(word)
  }

  private static func proxyType(_ word: String) -> [WordExplanation] {
    ProtectionSpace.ProxyType.allCases.filter { $0.constant == word }.map { type in
      let meaning =
        switch type {
        case .http: "A proxy for http URLs. It reads the requests and responses that it relays."
        case .https: "A proxy that opens tunnels to https URLs (CONNECT). It cannot read their content."
        case .ftp: "A proxy for ftp URLs. TrustLab does not simulate it."
        case .socks: "A proxy for any TCP connection. TrustLab does not simulate it."
        }
      return WordExplanation("proxy type", word, [("meaning", [meaning]), ("in scenarios", [type.rawValue])])
    }
  }

  /// The names under which the table of versions is found.
  private static let versionTable = ["version table", "versions of TLS", "SSL versions", "TLS versions"]

  private static func versions(_ word: String) -> [WordExplanation] {
    versionTable.contains(word) ? [WordExplanation("table", "versions of SSL and TLS", Glossary.versions)] : []
  }

  /// Explains a library by its last release, or one release of it.
  private static func library(_ word: String) -> [WordExplanation] {
    let name = LibraryVersion.Name(rawValue: word)
    guard let version = name.flatMap({ name in LibraryVersion.all.last { $0.library == name } }) ?? LibraryVersion(word)
    else { return [] }
    var facts: [(String, [String])] = [("in scenarios", ["serverTrust: { library: \(version), … }"])]
    if version.library == .afNetworking {
      let history = LibraryHistory(version)
      facts += [("order", [history.order]), ("defaults", history.defaults)]
      if !history.defects.isEmpty { facts.append(("known for", history.defects)) }
    }
    if name != nil {
      let releases = LibraryVersion.all.filter { $0.library == version.library }.map(\.number)
      facts.append(("releases", [releases.joined(separator: ", ")]))
    }
    return [WordExplanation("pinning library", version.description, facts)]
  }

  private static func method(_ word: String) -> [WordExplanation] {
    AuthenticationMethod.allCases.filter { [$0.constant, $0.rawValue].contains(word) }.map { method in
      WordExplanation(
        "authentication method", method.constant,
        [
          ("asks", [method.meaning]), ("in scenarios", [method.rawValue]),
          (
            "who is asked",
            [method.isSessionLevel ? "a session's delegate, else a task's" : "only a task's delegate"]
          ),
        ]
          + ChallengeDisposition.allCases.map { ($0.name, [$0.meaning(for: method)]) })
    }
  }

  private static func disposition(_ word: String) -> [WordExplanation] {
    ChallengeDisposition.allCases.filter { ([$0.name, $0.rawValue] + $0.otherNames).contains(word) }.map {
      disposition in
      var facts: [(String, [String])] = [("in scenarios", [disposition.rawValue])]
      for method in [AuthenticationMethod.serverTrust, .clientCertificate] {
        facts.append(("to \(method.rawValue)", [disposition.meaning(for: method)]))
      }
      // If all HTTP schemes have the same meaning, one line covers them.
      let basic = disposition.meaning(for: .httpBasic)
      let others = [AuthenticationMethod.httpDigest, .ntlm].filter { disposition.meaning(for: $0) != basic }
      facts.append((others.isEmpty ? "to passwords" : "to Basic", [basic]))
      for method in others { facts.append(("to \(method.rawValue)", [disposition.meaning(for: method)])) }
      facts.append(("twice", ["only the first answer takes effect (challenge.second-answer)"]))
      facts.append(("also", disposition.otherNames))
      return WordExplanation("challenge disposition", disposition.name, facts)
    }
  }

  private static func delegateMethod(_ word: String) -> [WordExplanation] {
    DelegateMethod.allCases.filter { $0.selector == word || $0.selector.contains(":\(word):") || $0.rawValue == word }
      .map { method in
        WordExplanation(
          "delegate method", method.selector,
          [("called by", [method.loader.rawValue]), ("when", [called(method)]), ("in scenarios", [method.rawValue])])
      }
  }

  private static func called(_ method: DelegateMethod) -> String {
    switch method {
    case .willSendRequest:
      "for every challenge, even if a credential is proposed. If the delegate has it, neither of the two older methods "
        + "is called: iOS 5 and later"
    case .canAuthenticate:
      "before the other older method. Without it, the answer is NO for ServerTrust and ClientCertificate, and YES for "
        + "all other methods"
    case .didReceive: "after the answer YES, unless the URL or the storage has a credential that was not tried"
    case .session: "for ServerTrust, ClientCertificate, NTLM and Negotiate; never for Basic and Digest"
    case .task: "for Basic, Digest and forms; for all other methods if the delegate lacks the session's method"
    case .navigation:
      "for every challenge; its completion handler must be called exactly once, or an exception ends the app"
    }
  }

  private static func persistence(_ word: String) -> [WordExplanation] {
    Credential.Persistence.allCases.filter { $0.constant == word }.map { persistence in
      let meaning =
        switch persistence {
        case .none: "The credential is used for this request only and is not stored."
        case .session: "The credential is kept as long as the process runs."
        case .permanent:
          "A user and password are kept in the keychain. An identity is never kept there, even with this argument."
        case .synchronizable: "Like Permanent, and also on the user's other devices: iOS 6 and later."
        }
      return WordExplanation(
        "persistence of a credential", word, [("meaning", [meaning]), ("in scenarios", [persistence.rawValue])])
    }
  }

  private static func preset(_ word: String) -> [WordExplanation] {
    DelegatePreset.all.filter { $0.name == word && word != "default" }.map { preset in
      WordExplanation(
        "delegate", preset.name,
        [
          ("does", [preset.meaning]), ("from", preset.source.isEmpty ? [] : [preset.source]),
          ("its table", preset.table.split(separator: "\n").map(String.init)), ("besides", preset.remarks),
        ])
    }
  }

  private static func interface(_ word: String) -> [WordExplanation] {
    let names = ["sendSynchronousRequest": "synchronous", "sendAsynchronousRequest": "asynchronous"]
    let wanted = names.first { word.hasPrefix($0.key) }?.value ?? word
    return LoadingInterface.allCases.filter { $0.rawValue == wanted }.map { interface in
      WordExplanation(
        "loading API", word, [("means", [interface.meaning]), ("loader", interface.loaders.map(\.rawValue))])
    }
  }

  /// The status codes of the Security framework that accompany results (SecBase.h).
  private static let statuses: [(name: String, code: Int, meaning: String)] = [
    (
      "errSecSuccess", 0,
      "No error. From SecTrustEvaluate, it means only that the chain was evaluated, not that it is trusted."
    )
  ]

  private static func status(_ word: String) -> [WordExplanation] {
    statuses.filter { $0.name == word }.map { status in
      WordExplanation("status", status.name, [("code", ["\(status.code)"]), ("says", [status.meaning])])
    }
  }
}

extension ChallengeDisposition {
  /// The constant of NSURLSession, and the method of NSURLConnection's sender, with the same meaning.
  fileprivate var otherNames: [String] {
    switch self {
    case .useCredential: ["NSURLSessionAuthChallengeUseCredential", "useCredential:forAuthenticationChallenge:"]
    case .continueWithoutCredential: ["continueWithoutCredentialForAuthenticationChallenge:"]
    case .cancel: ["NSURLSessionAuthChallengeCancelAuthenticationChallenge", "cancelAuthenticationChallenge:"]
    case .performDefaultHandling:
      ["NSURLSessionAuthChallengePerformDefaultHandling", "performDefaultHandlingForAuthenticationChallenge:"]
    case .rejectProtectionSpace:
      ["NSURLSessionAuthChallengeRejectProtectionSpace", "rejectProtectionSpaceAndContinueWithChallenge:"]
    }
  }
}
