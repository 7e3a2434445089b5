extension Glossary {
  /// What an app and its system say to each other about who is who.
  static let challengeTerms = [
    Term(
      name: "authentication challenge",
      meaning:
        "A question of the system to an app while a URL is loaded: is this server to be trusted, who is the client, "
        + "what are user and password? It carries a protection space, the number of failures so far and a proposed "
        + "credential. Exactly one answer is due; without any the load waits.",
      source: "Apple: URLAuthenticationChallenge", others: ["NSURLAuthenticationChallenge", "challenge"]),
    Term(
      name: "protection space",
      meaning:
        "What a challenge is about: host, port, protocol, realm and authentication method. Host and port are the "
        + "URL's, never those of whoever answers. Spaces are equal in every part or not at all; challenges of TLS have no "
        + "realm.", source: "Apple: URLProtectionSpace; RFC 9110 section 11.5",
      others: ["NSURLProtectionSpace", "URLProtectionSpace"]),
    Term(
      name: "credential",
      meaning:
        "What answers a challenge: user and password, an identity (a certificate with its private key), or a trust, "
        + "which the app says it has evaluated. Its persistence says how long it is kept; an identity is never kept longer "
        + "than the process runs.", source: "Apple: URLCredential", others: ["NSURLCredential", "URLCredential"]),
    Term(
      name: "credential storage",
      meaning:
        "Where credentials are kept by protection space, with one default each. It is asked for passwords before the "
        + "app is, by spaces that are equal in every part: one letter of a realm makes the difference.",
      source: "Apple: URLCredentialStorage", others: ["NSURLCredentialStorage", "URLCredentialStorage"]),
    Term(
      name: "realm",
      meaning:
        "The name that a server gives to what it protects; part of the protection space, compared letter by letter.",
      source: "RFC 9110 section 11.5"),
    Term(
      name: "previousFailureCount",
      meaning:
        "How many credentials have failed in this load, over all schemes together. A delegate that does not look at "
        + "it answers for ever, and may lock the account.", source: "Apple: previousFailureCount"),
    Term(
      name: "proposedCredential",
      meaning: "A credential that the system has, out of the URL or the storage. With failures it is the one that has "
        + "failed: do not send it again.", source: "Apple: proposedCredential"),
    Term(
      name: "sender",
      meaning:
        "The object that an NSURLConnection's delegate answers; with NSURLSession the completion handler takes its "
        + "place.", source: "Apple: URLAuthenticationChallengeSender", others: ["NSURLAuthenticationChallengeSender"]),
    Term(
      name: "one-way authentication",
      meaning: "Only the server shows a certificate: who the client is, TLS does not say.",
      source: "RFC 5246 section 7.4.2"),
  ]
}
