import Explanation
import PKIX

/// The date from which a Baseline Requirement applies: to certificates issued on that day or later (section 1.2.1).
///
/// A violation by an older certificate is advice. Requirements without a date here apply from the first day of all: the
/// forms of key identifiers, the kinds of names, and criticality. Whether they came later is not known.
enum RequirementDate {
  /// Version 1.0: the requirements "apply only to relevant events that occur on or after" this day (section 1.1).
  case requirements
  /// No SHA-1 (sections 1.2.2 and 7.1.3): earlier certificates may have it for a year.
  case sha2
  /// Serial numbers are greater than zero (sections 1.2.2 and 7.1).
  case positiveSerialNumbers
  /// Version 1.7.1: the encoding of keys and signature algorithms, and anyExtendedKeyUsage in CAs.
  ///
  /// See sections 7.1.3.1 and 7.1.3.2. A CA has no anyExtendedKeyUsage in addition to serverAuth (7.1.2.2 at that
  /// time).
  case encodings
  /// Version 1.8.0: the common name is a character-for-character copy.
  case exactCommonNames
  /// Version 2.0.0: the profiles of section 7.1.2; until then, the profile of version 1.8.6 was sufficient (7.1).
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

  /// Whether the requirement was in force when the certificate was issued.
  func binds(_ certificate: Certificate) -> Bool { !RequirementDate.isIssued(certificate, before: instant) }

  /// Whether the certificate was issued before `day`. Dates before X.509 version 3 of June 1996 do not count.
  private static func isIssued(_ certificate: Certificate, before day: Instant) -> Bool {
    Instant.day(1996, 6, 1) <= certificate.notBefore && certificate.notBefore < day
  }

  /// The minimum bits of an RSA modulus by the table of section 6.1.5, at the date of issue.
  ///
  /// CAs that began by 2010 and end by 2013, and servers that end by 2013, may have 1024 bits. A root that began by
  /// 2010 may have any number (section 1.2.2).
  static func fewestBits(of certificate: Certificate, isLeaf: Bool, isRoot: Bool) -> Int {
    let beganEarly = isIssued(certificate, before: .day(2011, 1, 1))
    if isRoot { return beganEarly ? 0 : 2048 }
    let endsEarly = isIssued(certificate, before: .day(2014, 1, 1)) && certificate.notAfter < .day(2014, 1, 1)
    return endsEarly && (isLeaf || beganEarly) ? 1024 : 2048
  }
}

extension Instant {
  /// The beginning of a day, in UTC.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}
