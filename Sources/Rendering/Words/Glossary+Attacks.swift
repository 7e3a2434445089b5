// What can go wrong.
extension Glossary {
  static let attackTerms = [
    Term(
      name: "active attack", meaning: "Whoever is between the two changes, drops, repeats or makes up messages.",
      source: "RFC 3552 section 3.3"),
    Term(
      name: "downgrade",
      meaning: "An attacker makes both sides agree on something weaker than they could: an old version, a weak suite.",
      source: "RFC 7507 section 1", others: ["downgrade attack"]),
    Term(
      name: "padding oracle",
      meaning: "A server that tells good padding from bad. Asked often enough, it decrypts for whoever asks.",
      source: "RFC 5246 section 7.4.7.1", others: ["oracle", "Bleichenbacher"]),
    Term(
      name: "passive attack", meaning: "Whoever is between the two only listens, and keeps what was said.",
      source: "RFC 3552 section 3.2"),
    Term(
      name: "replay",
      meaning: "A recording is sent again. New random numbers in each handshake make it worthless.",
      source: "RFC 3552 section 3.3.1", others: ["replay attack"]),
    Term(
      name: "SSL stripping",
      meaning: "An attacker speaks https with the server and http with a user who never asked for more.",
      source: "RFC 6797 section 2.3.1", others: ["sslstrip"]),
  ]
}
