extension Glossary {
  /// The terms about authentication challenges between the URL Loading System and an app.
  static let challengeTerms = [
    Term(
      name: "authentication challenge",
      meaning:
        "A question that the system asks an app during a load. Is this server trusted? Which identity does the client "
        + "present? What are the user and password? A challenge contains a protection space, the number of earlier "
        + "failures and a proposed credential. The app must answer exactly once; until it does, the load waits.",
      source: "Apple: URLAuthenticationChallenge", others: ["NSURLAuthenticationChallenge", "challenge"]),
    Term(
      name: "protection space",
      meaning:
        "The subject of a challenge: host, port, protocol, realm and authentication method. Host and port come from "
        + "the URL, not from the server that responds. Two spaces are equal only if all parts are equal. Challenges "
        + "of TLS have no realm.",
      source: "Apple: URLProtectionSpace; RFC 9110 section 11.5",
      others: ["NSURLProtectionSpace", "URLProtectionSpace"]),
    Term(
      name: "credential",
      meaning:
        "The answer to a challenge: user and password, an identity (a certificate with its private key), or a trust "
        + "that the app has evaluated. Its persistence determines how long the system keeps it. An identity is never "
        + "kept longer than the process runs.",
      source: "Apple: URLCredential", others: ["NSURLCredential", "URLCredential"]),
    Term(
      name: "credential storage",
      meaning: "The system's store of credentials, with one default for each protection space. The system looks for "
        + "a password there before it asks the app. The protection space must be equal in every part, including each "
        + "letter of the realm.",
      source: "Apple: URLCredentialStorage", others: ["NSURLCredentialStorage", "URLCredentialStorage"]),
    Term(
      name: "realm",
      meaning: "The name that a server gives to the area it protects. It is part of the protection space and is "
        + "compared letter by letter.",
      source: "RFC 9110 section 11.5"),
    Term(
      name: "previousFailureCount",
      meaning: "The number of credentials that have failed in this load, over all authentication methods. A delegate "
        + "that ignores it answers forever and may lock the account.",
      source: "Apple: previousFailureCount"),
    Term(
      name: "proposedCredential",
      meaning: "A credential that the system found in the URL or in the credential storage. If previousFailureCount "
        + "is not 0, this credential has failed: do not send it again.",
      source: "Apple: proposedCredential"),
    Term(
      name: "sender",
      meaning: "The object to which the delegate of an NSURLConnection sends its answer. NSURLSession uses a "
        + "completion handler instead.",
      source: "Apple: URLAuthenticationChallengeSender", others: ["NSURLAuthenticationChallengeSender"]),
    Term(
      name: "one-way authentication",
      meaning: "Only the server presents a certificate. TLS does not identify the client.",
      source: "RFC 5246 section 7.4.2"),
  ]
}
