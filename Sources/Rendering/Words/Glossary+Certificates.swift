// Who vouches for whom.
extension Glossary {
  static let certificateTerms = [
    Term(
      name: "authorityInfoAccess",
      meaning: "Where to find the certificate of the issuer (caIssuers) and whom to ask about revocation (OCSP). Some "
        + "clients fetch a missing intermediate from there, others do not.",
      source: "RFC 5280 section 4.2.2.1", others: ["AIA", "authority information access", "caIssuers"]),
    Term(
      name: "basicConstraints",
      meaning: "Says whether a certificate is an authority's, and how many authorities may follow below it.",
      source: "RFC 5280 section 4.2.1.9", others: ["basic constraints"]),
    Term(
      name: "certificate transparency",
      meaning: "Public logs of the certificates that authorities issue, so that a wrong one is seen. A timestamp of a "
        + "log (SCT) shows that a certificate is in it.", source: "RFC 6962 section 3",
      others: ["CT", "SCT", "signed certificate timestamp"]),
    Term(
      name: "CRL", meaning: "The list, signed by an authority, of certificates it has revoked.",
      source: "RFC 5280 section 5", others: ["certificate revocation list"]),
    Term(
      name: "cross-signing",
      meaning: "Two authorities have certified the same key, so that more than one chain leads up from it.",
      source: "RFC 5280 section 3.2", others: ["cross-certificate"]),
    Term(
      name: "exception domain",
      meaning: "A host for which an app's Info.plist asks less, or more, than App Transport Security asks of all.",
      source: "Apple: NSExceptionDomains", others: ["exception"]),
    Term(
      name: "extendedKeyUsage", meaning: "What a certificate is for: to be a server, a client, to sign code.",
      source: "RFC 5280 section 4.2.1.12", others: ["EKU", "extended key usage"]),
    Term(
      name: "keyUsage", meaning: "What a key may do: sign messages, sign certificates, encrypt keys.",
      source: "RFC 5280 section 4.2.1.3", others: ["key usage"]),
    Term(
      name: "name constraints", meaning: "The names for which an authority, and all below it, may issue certificates.",
      source: "RFC 5280 section 4.2.1.10"),
    Term(
      name: "OCSP", meaning: "Asking an authority's server whether one certificate is revoked.",
      source: "RFC 6960 section 1"),
    Term(
      name: "pathLenConstraint",
      meaning: "The number in basicConstraints: how many intermediates may follow below an authority, the server's own "
        + "certificate not counted. Without it, any number.",
      source: "RFC 5280 section 4.2.1.9", others: ["path length", "path length constraint", "pathLen", "pathLength"]),
    Term(
      name: "public key",
      meaning: "The half of a key pair that everyone may have: it encrypts to its owner and verifies what its owner "
        + "signed.", source: "RFC 8017 section 3.1"),
    Term(
      name: "revocation",
      meaning: "An authority takes a certificate back before it ends. It helps only against clients that look.",
      source: "RFC 5280 section 3.3"),
    Term(
      name: "self-signed certificate",
      meaning:
        "A certificate signed with its own key: it proves nothing that its owner did not say. Every root is one.",
      source: "RFC 5280 section 3.2", others: ["self-signed"]),
    Term(
      name: "signature",
      meaning: "A number that only the owner of a private key can make for a text, and everyone can check with the "
        + "public key.", source: "RFC 8017 section 8", others: ["digital signature"]),
    Term(
      name: "SPKI",
      meaning: "subjectPublicKeyInfo: the public key of a certificate with its algorithm. A pin on it survives the "
        + "renewal of the certificate.", source: "RFC 5280 section 4.1.2.7", others: ["subjectPublicKeyInfo"]),
    Term(
      name: "wildcard",
      meaning: "A name like *.shop.example in a certificate: the star stands for exactly one label, the first.",
      source: "RFC 9525 section 6.3", others: ["wildcard certificate"]),
  ]
}
