import Trust

extension RevocationSources {
  /// All sources of revocation status, in sentences that mark uncertain statements.
  var narration: String {
    sources.map(\.words).map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }.joined(separator: " ")
  }
}

extension RevocationSources.Source {
  fileprivate var words: String {
    switch self {
    case .valid(isThere: true):
      "Apple's own database (Valid) is checked first (unknown: its content on a day "
        + "is not public, and it is empty here)"
    case .valid(isThere: false):
      "Apple's own database (Valid) came with iOS 10.3 and macOS 10.12.4, and does not exist here"
    case .staple(let staple): staple.words
    case .cache: "cached responses are next, and a run begins with none"
    case .responder(let responder): responder.words
    case .lists(let lists): lists.words
    case .end(isAnswerRequired: false): "if no source has a status, the system continues"
    case .end(isAnswerRequired: true):
      "if no source has a status of the server's certificate, it is refused, because the app requires a response "
        + "(kSecRevocationRequirePositiveResponse, -67635)"
    }
  }
}

extension RevocationSources.Staple {
  fileprivate var words: String {
    switch self {
    case .absent(let isAsked):
      "\(isAsked ? "the server stapled nothing" : "the client did not request stapling"), and no app passes a response "
        + "(SecTrustSetOCSPResponse)"
    case .tried(let doubt):
      "the stapled response is tried for every certificate of the chain\(Self.words(doubt))"
    case .ignored(let doubt):
      "the stapled response is ignored: before iOS 10 and macOS 10.12, it is used only if an app requests it, or for "
        + "extended validation\(Self.words(doubt))"
    }
  }

  private static func words(_ doubt: RevocationSources.ReleaseDoubt?) -> String {
    switch doubt {
    case .beforeSources: " (unknown: the sources that were read begin with iOS 9 and OS X 10.11)"
    case .inferred: " (likely: the release is inferred from that of macOS)"
    case nil: ""
    }
  }
}

extension RevocationSources.Responder {
  fileprivate var words: String {
    switch self {
    case .asked: "a responder is queried over the network, because the app requests it"
    case .notRequested(let hasValid):
      "no responder is queried over the network, because no app requests it (SecPolicyCreateRevocation)"
        + (hasValid ? " (unknown: whether Valid would cause a query)" : "")
    case .notNeeded:
      "no responder is queried over the network, although the app requests it: the status is already known"
    case .notNamed: "no responder is queried over the network, although the app requests it: no certificate names one"
    }
  }
}

extension RevocationSources.Lists {
  fileprivate var words: String {
    switch self {
    case .fetched: "CRLs are fetched if an app requests it and no responder is named"
    case .notPublished(let family): "no published code of \(family.rawValue) fetches CRLs"
    case .notModelled: "CRLs are not fetched here (unknown: the behaviour of systems before macOS 10.12)"
    case .noLonger: "CRLs are no longer fetched since macOS 10.15, whatever method an app names"
    }
  }
}
