import Explanation
import PKIX

/// The date from which a Baseline Requirement applies.
///
/// A requirement applies to certificates issued on that day or later (section 1.2.1).
///
/// A violation by an older certificate is advice. Some requirements have no date here: the forms of key identifiers,
/// the kinds of names, and criticality. They apply from the first day of the Baseline Requirements, because it is not
/// known whether they were added later.
enum RequirementDate {
  /// Version 1.0. Its requirements "apply only to relevant events that occur on or after" this day (section 1.1).
  case requirements
  /// The end of SHA-1 in new certificates (sections 1.2.2 and 7.1.3). Certificates issued earlier may use SHA-1 for one
  /// more year.
  case sha2
  /// The requirement that serial numbers are greater than zero (sections 1.2.2 and 7.1).
  case positiveSerialNumbers
  /// Version 1.7.1, with rules on the encoding of keys and signature algorithms, and on anyExtendedKeyUsage in CA
  /// certificates.
  ///
  /// See sections 7.1.3.1 and 7.1.3.2. A CA must not have anyExtendedKeyUsage in addition to serverAuth (7.1.2.2 at
  /// that time).
  case encodings
  /// Version 1.8.0, which requires that the common name is a character-for-character copy.
  case exactCommonNames
  /// Version 2.0.0, with the profiles of section 7.1.2. Until then, the profile of version 1.8.6 was sufficient (7.1).
  case profiles

  /// The first day.
  var instant: Instant {
    switch self {
    case .requirements: .day(2012, 7, 1)
    case .sha2: .day(2016, 1, 1)
    case .positiveSerialNumbers: .day(2016, 9, 30)
    case .encodings: .day(2020, 8, 20)
    case .exactCommonNames: .day(2021, 8, 25)
    case .profiles: .day(2023, 9, 15)
    }
  }

  /// Returns whether the requirement was in force when the certificate was issued.
  func binds(_ certificate: Certificate) -> Bool { !RequirementDate.isIssued(certificate, before: instant) }

  /// Returns whether the certificate was issued before `day`. Dates before X.509 version 3 (June 1996) are ignored.
  private static func isIssued(_ certificate: Certificate, before day: Instant) -> Bool {
    Instant.day(1996, 6, 1) <= certificate.notBefore && certificate.notBefore < day
  }

  /// Returns the minimum size of an RSA modulus in bits at the date of issue (table of section 6.1.5).
  ///
  /// 1024 bits are enough for CA certificates that began by 2010 and end by 2013, and for server certificates that end
  /// by 2013. A root that began by 2010 may have any size (section 1.2.2).
  static func fewestBits(of certificate: Certificate, isLeaf: Bool, isRoot: Bool) -> Int {
    let beganEarly = isIssued(certificate, before: .day(2011, 1, 1))
    if isRoot { return beganEarly ? 0 : 2048 }
    let endsEarly = isIssued(certificate, before: .day(2014, 1, 1)) && certificate.notAfter < .day(2014, 1, 1)
    return endsEarly && (isLeaf || beganEarly) ? 1024 : 2048
  }
}

extension Instant {
  /// Returns the beginning of a day in UTC.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}
