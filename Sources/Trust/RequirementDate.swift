import Explanation
import PKIX

/// Since when certificates are issued under a demand of the Baseline Requirements: each binds what is issued from its day on
/// (section 1.2.1), and a violation of an older certificate is advice.
///
/// Demands without a day of their own here are held from the first day of all: the forms of key identifiers, the kinds of
/// names, what is critical. Whether they came later is not known.
enum RequirementDate {
  /// Version 1.0: the requirements "apply only to relevant events that occur on or after" this day (section 1.1).
  case requirements
  /// No SHA-1 (sections 1.2.2 and 7.1.3): what was issued before may have it for a year.
  case sha2
  /// Serial numbers are greater than zero (sections 1.2.2 and 7.1).
  case positiveSerialNumbers
  /// Version 1.7.1: how keys and signature algorithms are written (7.1.3.1 and 7.1.3.2), and no anyExtendedKeyUsage beside
  /// serverAuth in an authority (7.1.2.2 then).
  case encodings
  /// Version 1.8.0: the common name is a copy, character for character.
  case exactCommonNames
  /// Version 2.0.0: the profiles of section 7.1.2, before which that of version 1.8.6 would do (7.1).
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

  /// Whether the certificate was issued when the demand was in force.
  func binds(_ certificate: Certificate) -> Bool { !RequirementDate.isIssued(certificate, before: instant) }

  /// A date before X.509 version 3, of June 1996, is no date of issue.
  private static func isIssued(_ certificate: Certificate, before day: Instant) -> Bool {
    Instant.day(1996, 6, 1) <= certificate.notBefore && certificate.notBefore < day
  }

  /// The fewest bits of an RSA modulus by the table of section 6.1.5, for what is issued since these requirements and before:
  /// authorities that began by 2010 and end by 2013, and servers that end by 2013, may have 1024; a root that began by 2010
  /// any number (section 1.2.2).
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
