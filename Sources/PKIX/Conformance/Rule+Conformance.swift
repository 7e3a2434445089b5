import Explanation

/// What RFC 5280 section 4 demands of those who issue certificates, beside what section 6 lets a path fail for.
extension Rule {
  /// A serial number is a positive number, 4.1.2.2.
  public static let serialNumber = Rule(
    .chain, "serial-number", "serialNumber is a positive number of at most 20 octets.", .rfc(5280, "4.1.2.2"),
    fix: "Issue the certificate with a positive serial number of at most 20 octets.")

  /// Names are not empty, 4.1.2.4 and 4.1.2.6.
  public static let emptyName = Rule(
    .chain, "empty-name",
    "issuer is not empty, nor is an authority's subject; where another's is, a critical subjectAltName names it.",
    .rfc(5280, "4.1.2.4 and 4.1.2.6"), fix: "Issue the certificate with a subject, or with a critical subjectAltName.")

  /// Extensions are critical where they must be, 4.2.
  public static let criticality = Rule(
    .chain, "criticality", "Extensions are marked critical where the standard says so, and not where it forbids it.",
    .rfc(5280, "4.2"), fix: "Issue the certificate with the extension marked as its section says.")

  /// Extensions that must be there are, 4.2.1.1, 4.2.1.2 and 4.2.1.9.
  public static let missingExtension = Rule(
    .chain, "missing-extension",
    "An authority has basicConstraints and subjectKeyIdentifier; whoever did not sign itself has authorityKeyIdentifier.",
    .rfc(5280, "4.2.1.1, 4.2.1.2, 4.2.1.9"), fix: "Issue the certificate with the extension.")

  /// What makes an authority agrees, 4.2.1.3 and 4.2.1.9.
  public static let authorityFields = Rule(
    .chain, "authority-fields",
    "cA, keyCertSign and pathLenConstraint agree: the key of an authority signs certificates, and no other does.",
    .rfc(5280, "4.2.1.3 and 4.2.1.9"), fix: "Issue the certificate with cA and keyCertSign both set, or neither.")

  /// Name constraints have the form they must have, 4.2.1.10.
  public static let nameConstraintsForm = Rule(
    .chain, "name-constraints-form",
    "nameConstraints is in authorities' certificates only, and its names are hosts, mailboxes and whole prefixes.",
    .rfc(5280, "4.2.1.10"), fix: "Write hosts without a wildcard and without a leading period: example.com.")

  /// Host names have the form they must have, 4.2.1.6.
  public static let nameForm = Rule(
    .chain, "name-form",
    "Every dNSName is of letters, digits and hyphens, every rfc822Name a mailbox, and every URI absolute.",
    .rfc(5280, "4.2.1.6"), fix: "Issue the certificate for names in the form that their kind has.")

  /// Dates have the form for their years, 4.1.2.5.
  public static let timeForm = Rule(
    .chain, "time-form", "Dates from 1950 to 2049 are written as UTCTime, and later ones as GeneralizedTime.",
    .rfc(5280, "4.1.2.5"), fix: "Issue the certificate with its dates in the form for their years.")

  /// All rules about how certificates are issued.
  public static let conformance: [Rule] = [
    serialNumber, emptyName, criticality, missingExtension, authorityFields, nameConstraintsForm, nameForm,
    timeForm,
  ]
}
