/// What an authority or a certificate says, and what clients were told about it.
extension Vocabulary {
  static let certificate = WordSection(
    "certificate", "An authority or a certificate: issued here, or read from a file.",
    [
      Word("issuer", .text, "who signs it; left out, it signs itself"),
      Word(
        "crossSigns", .text,
        "the authority or certificate whose key, and name where no other is given, it is for: a cross-certificate"),
      Word("key", .text, "kind and size of its key: rsa-2048, ec-p256"),
      Word("entropy", .integer, "the bits of entropy its key was made with: 15; a good generator, if left out"),
      Word("sharesPrimeWith", .text, "the certificate whose RSA key has a prime in common with this one's"),
      Word(
        "signature", .choice(signatureWords), "the hash its signature is made with; pss- for RSASSA-PSS by an RSA key"),
      Word(
        "names", .list(.text),
        "DNS names and IP addresses of subjectAltName; DNS:192.0.2.1 for an address where a DNS name belongs"),
      Word("commonName", .text, "the subject's common name; left out, the first name or the certificate's own"),
      Word("days", .integer, "how long it is valid"),
      Word("notBefore", .date, "when it becomes valid"),
      Word("notAfter", .date, "when it expires"),
      Word(
        "trust", .choice(["system", "user", "installed-not-trusted", "distrusted", "denied", "ask", "none"]),
        "where the client's store has it; distrusted by the system or denied by the user, it is never trusted, nor what "
          + "it signed; ask is Keychain Access's Ask Permission, which OS X 10.5 gave up"),
      Word(
        "distrust", .either([.section("distrust"), .list(.section("distrust"))]),
        "what systems were told not to trust of it, and of what it signed"),
      Word(
        "caIssuers", .text, "the http:// URL where its certificate can be fetched; what it signs names the place (AIA)"
      ),
      Word("revoked", .date, "when its authority put it on the list of what it has revoked"),
      Word("pathLength", .integer, "how many authorities may follow below it"),
      Word("nameConstraints", .section("name constraints"), "the names that certificates below it may have"),
      Word("version", .integer, "the version: 1 leaves the extensions out; 3, if left out"),
      Word("serial", .text, "the serial number: 0, -5, or octets as they shall be: 0x01ff; drawn, if left out"),
      Word("keyUsage", .list(.text), "bits of keyUsage, instead of the usual ones"),
      Word("extendedKeyUsage", .list(.text), "purposes of extendedKeyUsage, instead of serverAuth"),
      Word(
        "timestamps", .either([.integer, .section("timestamps")]),
        "the signed certificate timestamps it comes with, all embedded or by kind; unknown, if left out"),
      Word("break", .either([.text, .list(.text)]), "how it is broken on purpose"),
      Word("pem", .text, "a PEM or DER file to read it from, leaf first, in place of issuing it"),
      Word("privateKey", .text, "the PEM or DER file of its private key, when it is read from a file"),
    ])

  static let distrust = WordSection(
    "distrust", "What systems were told not to trust of a certificate and of what it signed; all of it, if left empty.",
    [
      Word("from", .date, "the first day on which the list is in force, by the clock"),
      Word(
        "since", .either([.text, .list(.text)]),
        "the release that brought it, or one of each family: [iOS 10.2, macOS 10.12.2]"),
      Word("issuedFrom", .date, "only server certificates whose notBefore is this or later"),
      Word("issuedBefore", .date, "only server certificates whose notBefore is earlier"),
      Word("except", .list(.text), "certificates through which a path is trusted all the same"),
    ])

  static let nameConstraints = WordSection(
    "name constraints", "The names that certificates below an authority may have: RFC 5280 section 4.2.1.10.",
    [
      Word(
        "permitted", .list(.text),
        "company.example, 192.0.2.0/24, email:company.example, URI:company.example: kinds not named are free"),
      Word("excluded", .list(.text), "the same, for names that are not allowed whatever is permitted"),
    ])

  static let timestamps = WordSection(
    "timestamps", "How many signed certificate timestamps a certificate comes with, from logs that are approved.",
    [
      Word("embedded", .integer, "in the certificate itself"),
      Word("tlsExtension", .integer, "in the TLS extension signed_certificate_timestamp"),
      Word("ocsp", .integer, "in a stapled OCSP response"),
    ])
}
