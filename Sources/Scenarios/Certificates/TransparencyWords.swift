import Cryptography
import Explanation
import Laboratory
import PKIX

/// The signed certificate timestamps (SCTs) of a certificate, as a scenario describes them (RFC 6962 section 3.3).
public struct SCTsDescription: Sendable, Hashable, CustomStringConvertible {
  /// The logs whose SCTs are embedded in the certificate.
  public internal(set) var embedded: [String] = []
  /// The logs whose SCTs are in the TLS extension.
  public internal(set) var tlsExtension: [String] = []
  /// The logs whose SCTs are in a stapled OCSP response.
  public internal(set) var ocsp: [String] = []

  /// All logs, each once.
  var logs: [String] {
    (embedded + tlsExtension + ocsp).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The SCTs in words: `2 embedded, of Log 1 and Log 2`.
  public var description: String {
    let parts = [(embedded, "embedded"), (tlsExtension, "in the TLS extension"), (ocsp, "in OCSP")]
      .filter { !$0.0.isEmpty }.map { "\($0.0.count) \($0.1), of \($0.0.listed)" }
    return parts.isEmpty ? "none" : parts.joined(separator: "; ")
  }

  static let section = Section<SCTsDescription>(
    "timestamps",
    "The SCTs of a certificate, by kind of delivery: their number, or the logs that issued them. A number selects as "
      + "many approved logs: Log 1, Log 2, …",
    [
      .term("embedded", .logNames, "the SCTs in the certificate itself", into: \.embedded),
      .term(
        "tlsExtension", .logNames, "the SCTs in the TLS extension signed_certificate_timestamp", into: \.tlsExtension),
      .term("ocsp", .logNames, "the SCTs in the OCSP response that the server staples", into: \.ocsp),
    ])

  /// These SCTs with distinct names for logs that the scenario gives only as a number.
  fileprivate var numbered: SCTsDescription {
    var (named, count) = (self, 0)
    func naming(_ list: [String]) -> [String] {
      list.map { name in
        guard name.isEmpty else { return name }
        count += 1
        return "Log \(count)"
      }
    }
    (named.embedded, named.tlsExtension, named.ocsp) = (naming(embedded), naming(tlsExtension), naming(ocsp))
    return named
  }
}

/// A CT log as a scenario describes it (RFC 6962).
public struct LogDescription: Sendable, Hashable {
  /// The state of a log in the clients' log lists.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case usable
    case qualified
    case readonly
    case retired
    case pending
    case rejected
    /// The log is in no log list of the clients.
    case unknown
  }

  /// The operator of the log; nil if it is the log's own name.
  public internal(set) var `operator`: String?
  /// The state of the log in the clients' log lists.
  public internal(set) var state = State.usable
  /// The time since which the log is readonly or retired.
  public internal(set) var since: Instant?
  /// The earliest notAfter of the certificates that the log accepts.
  public internal(set) var from: Instant?
  /// The time that must be later than the notAfter of every certificate that the log accepts.
  public internal(set) var until: Instant?
  /// Whether the log's SCTs are signed with a key other than its own.
  public internal(set) var isForged = false
  /// Whether the log keeps the promises that it makes in its SCTs.
  public internal(set) var conduct = LogBehavior.honest
  /// The log's maximum merge delay in seconds.
  public internal(set) var mergeDelay: Int64 = 86_400
  /// The delay in seconds before an auditor and a monitor query the log; nil for no audit.
  public internal(set) var audited: Int64?

  static let section = Section<LogDescription>(
    "log", "A CT log (RFC 6962), under the name that a certificate's 'timestamps' uses.",
    [
      .term(
        "operator", .text, "the operator of the log; default: the log's own name", into: \.operator,
        says: { "run by \($0)" }),
      .term(
        "state", .choice(called: "log state"),
        "the state of the log in the clients' log lists; unknown means that no list has the log; default: usable",
        into: \.state,
        says: { $0 == .unknown ? "in no client's log list" : $0.rawValue }),
      .term(
        "since", .date, "the time from which the log is readonly or retired; default: always", into: \.since,
        says: { "since \($0.shortText)" }),
      .term(
        "from", .date, "the earliest notAfter of the certificates that the log accepts; default: any", into: \.from,
        says: { "for certificates that expire on \($0.shortText) or later" }),
      .term(
        "until", .date, "the time before which the notAfter of accepted certificates must be; default: any",
        into: \.until,
        says: { "for certificates that expire before \($0.shortText)" }),
      .term(
        "forged", .flag, "whether the log's SCTs are signed with a key that is not the log's own; default: false",
        into: \.isForged, says: { $0 ? "its SCTs are signed with another key" : nil }),
      .term(
        "conduct", .choice(called: "log conduct"),
        "the behavior of the log: honest (one tree for all), split-view (two trees, only one of which has the "
          + "certificate) or omits (no tree has the certificate); default: honest",
        into: \.conduct,
        says: { conduct in
          switch conduct {
          case .honest: nil
          case .splitView: "shows two trees"
          case .omits: "never includes the certificates it promised to include"
          }
        }),
      .term(
        "mmd", .duration, "the log's maximum merge delay; default: 1 day", into: \.mergeDelay,
        says: { $0 == 86_400 ? nil : "includes certificates within \(Detail.seconds($0).description)" }),
      .term(
        "audited", .duration,
        "the delay after which an auditor queries the log for the certificate and a monitor reads the log (RFC 6962 "
          + "section 5); "
          + "default: no audit", into: \.audited,
        says: { "an auditor and a monitor query it \(Detail.seconds($0).description) later" }),
    ])

  /// The phrases that `describe` prints about the log.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension Kind {
  /// The names of logs, or their number. A log that is only counted has the empty name.
  fileprivate static var logNames: Kind<[String]> {
    let names = Kind<[String]>.list(.text)
    return Kind<[String]>(.either([.integer(0...100), names.shape])) { reader in
      guard reader.node.items != nil else { return reader.integer(0...100).map { Array(repeating: "", count: $0) } }
      return names.read(reader)
    }
  }

  /// The number of embedded SCTs, their logs, or their logs grouped by delivery method.
  static var timestamps: Kind<SCTsDescription> {
    let section = Kind<SCTsDescription>.section(SCTsDescription.section) { SCTsDescription() }
    return Kind<SCTsDescription>(.either([.integer(0...100), .list(.text), section.shape])) { reader in
      if reader.node.entries != nil { return section.read(reader)?.numbered }
      return Kind<[String]>.logNames.read(reader).map { names in
        var timestamps = SCTsDescription()
        timestamps.embedded = names
        return timestamps.numbered
      }
    }
  }
}
