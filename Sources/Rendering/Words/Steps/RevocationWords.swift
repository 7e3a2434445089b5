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
      "Apple's own database (Valid) is checked first (unknown: its content on a given day is not public, so it is "
        + "empty here)"
    case .valid(isThere: false):
      "this system is older than Apple's own database (Valid), which came with iOS 10.3 and macOS 10.12.4"
    case .staple(let staple): staple.words
    case .cache: "cached responses are checked next; a run begins without any"
    case .responder(let responder): responder.words
    case .lists(let lists): lists.words
    case .end(isAnswerRequired: false): "if no source has a status, the system continues"
    case .end(isAnswerRequired: true):
      "if no source has a status of the server's certificate, the certificate is refused, because the app requires a "
        + "response (kSecRevocationRequirePositiveResponse, -67635)"
    }
  }
}

extension RevocationSources.Staple {
  fileprivate var words: String {
    switch self {
    case .absent(let isAsked):
      "\(isAsked ? "the server stapled no response" : "the client did not request stapling"), and no app passes one "
        + "(SecTrustSetOCSPResponse)"
    case .tried(let doubt):
      "the stapled response is checked for every certificate in the chain\(Self.words(doubt))"
    case .ignored(let doubt):
      "the stapled response is ignored: before iOS 10 and macOS 10.12, the system uses it only if an app requests "
        + "this, or for extended validation\(Self.words(doubt))"
    }
  }

  private static func words(_ doubt: RevocationSources.ReleaseDoubt?) -> String {
    switch doubt {
    case .beforeSources: " (unknown: the published source code begins with iOS 9 and OS X 10.11)"
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
    case .notNamed:
      "no responder is queried over the network, although the app requests it: no certificate names a responder"
    }
  }
}

extension RevocationSources.Lists {
  fileprivate var words: String {
    switch self {
    case .fetched: "CRLs are fetched if an app requests it and no certificate names a responder"
    case .notPublished(let family): "no published source code of \(family.rawValue) fetches CRLs"
    case .notModelled: "CRLs are not fetched here (unknown: the behaviour of systems before macOS 10.12)"
    case .noLonger: "since macOS 10.15, CRLs are not fetched, whichever method an app requests"
    }
  }
}
