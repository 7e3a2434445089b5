import Trust

extension RevocationSources {
  /// All of it, in sentences; what is not certain says so.
  var narration: String {
    sources.map(\.words).map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }.joined(separator: " ")
  }
}

extension RevocationSources.Source {
  fileprivate var words: String {
    switch self {
    case .valid(isThere: true):
      "Apple's own database (Valid) is looked at first "
        + "(unknown: what is on it on a day is not public, and here it says nothing)"
    case .valid(isThere: false):
      "Apple's own database (Valid) came with iOS 10.3 and macOS 10.12.4, and is not there"
    case .staple(let staple): staple.words
    case .cache: "what was kept of earlier answers comes next, and a run begins with none"
    case .responder(let responder): responder.words
    case .lists(let lists): lists.words
    case .end(isAnswerRequired: false): "where none of them knows, the system goes on"
    case .end(isAnswerRequired: true):
      "where none of them knows the server's certificate, it is refused, because the app requires an answer "
        + "(kSecRevocationRequirePositiveResponse, -67635)"
    }
  }
}

extension RevocationSources.Staple {
  fileprivate var words: String {
    switch self {
    case .absent(let isAsked):
      "the server \(isAsked ? "stapled nothing" : "was not asked to staple"), and no app hands an answer in "
        + "(SecTrustSetOCSPResponse)"
    case .tried(let doubt):
      "what the server stapled is tried for every certificate of the chain\(Self.words(doubt))"
    case .ignored(let doubt):
      "what the server stapled is not looked at: before iOS 10 and macOS 10.12 only where an app asks, or for extended "
        + "validation\(Self.words(doubt))"
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
    case .asked: "a responder is asked over the network, because the app asks"
    case .notRequested(let hasValid):
      "no responder is asked over the network, because no app asks (SecPolicyCreateRevocation)"
        + (hasValid ? " (unknown: whether Valid would have one asked)" : "")
    case .notNeeded: "no responder is asked over the network, though the app asks: enough is known before"
    case .notNamed: "no responder is asked over the network, though the app asks: no certificate names one"
    }
  }
}

extension RevocationSources.Lists {
  fileprivate var words: String {
    switch self {
    case .fetched: "lists are fetched where an app asks and no responder is named"
    case .notPublished(let family): "lists are fetched by no published code of \(family.rawValue)"
    case .notModelled: "lists are not fetched here (unknown: what systems before macOS 10.12 did)"
    case .noLonger: "lists are fetched no more since macOS 10.15, whatever method an app names"
    }
  }
}
