import Cryptography
import Explanation
import Laboratory
import PKIX

/// The signed certificate timestamps that a certificate comes with, as a scenario describes them: RFC 6962 section 3.3.
public struct TimestampsDescription: Sendable, Hashable, CustomStringConvertible {
  /// The logs whose timestamps stand in the certificate itself.
  public internal(set) var embedded: [String] = []
  /// The logs whose timestamps come in the TLS extension.
  public internal(set) var tlsExtension: [String] = []
  /// The logs whose timestamps come in a stapled answer.
  public internal(set) var ocsp: [String] = []

  /// All logs, each once.
  var logs: [String] {
    (embedded + tlsExtension + ocsp).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// `2 embedded, of Log 1 and Log 2`.
  public var description: String {
    let parts = [(embedded, "embedded"), (tlsExtension, "in the TLS extension"), (ocsp, "in OCSP")]
      .filter { !$0.0.isEmpty }.map { "\($0.0.count) \($0.1), of \($0.0.listed)" }
    return parts.isEmpty ? "none" : parts.joined(separator: "; ")
  }

  static let section = Section<TimestampsDescription>(
    "timestamps",
    "How many signed certificate timestamps a certificate comes with in which way, or of which logs; a number stands for so "
      + "many logs that are approved: Log 1, Log 2, …",
    [
      .term("embedded", .logNames, "in the certificate itself", into: \.embedded),
      .term(
        "tlsExtension", .logNames, "in the TLS extension signed_certificate_timestamp", into: \.tlsExtension),
      .term("ocsp", .logNames, "in the stapled OCSP response of its server", into: \.ocsp),
    ])

  /// The same where what came of a number has names of its own in each way.
  fileprivate var numbered: TimestampsDescription {
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

/// A log of certificates as a scenario describes it: RFC 6962.
public struct LogDescription: Sendable, Hashable {
  /// What clients think of a log.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case usable
    case qualified
    case readonly
    case retired
    case pending
    case rejected
    /// It is on no list that clients have.
    case unknown
  }

  /// Who runs it; nil for its own name.
  public internal(set) var `operator`: String?
  /// What clients think of it.
  public internal(set) var state = State.usable
  /// Since when it is readonly, or retired.
  public internal(set) var since: Instant?
  /// The first moment at which certificates end that it takes.
  public internal(set) var from: Instant?
  /// The moment before which they end.
  public internal(set) var until: Instant?
  /// Whether another key than its own signs its timestamps.
  public internal(set) var isForged = false
  /// How it keeps what its timestamps promise.
  public internal(set) var conduct = LogConduct.honest
  /// Within how many seconds it includes what it has promised.
  public internal(set) var mergeDelay: Int64 = 86_400
  /// How many seconds after the connections an auditor and a monitor ask it; nil where nobody does.
  public internal(set) var audited: Int64?

  static let section = Section<LogDescription>(
    "log", "A log of certificates (RFC 6962), by the name under which certificates have timestamps of it.",
    [
      .term(
        "operator", .text, "who runs it; its own name, if left out", into: \.operator, says: { "run by \($0)" }),
      .term(
        "state", .choice(called: "state of a log"),
        "what clients think of it; usable, if left out; unknown is on no list of theirs", into: \.state,
        says: { $0 == .unknown ? "on no list that clients have" : $0.rawValue }),
      .term(
        "since", .date, "since when it is readonly or retired; for ever, if left out", into: \.since,
        says: { "since \($0.shortText)" }),
      .term(
        "from", .date, "the first end of certificates that it takes; any, if left out", into: \.from,
        says: { "for what ends on \($0.shortText) or later" }),
      .term(
        "until", .date, "before which certificates end that it takes; any, if left out", into: \.until,
        says: { "for what ends before \($0.shortText)" }),
      .term(
        "forged", .flag, "whether its timestamps are signed with another key than its own; false, if left out",
        into: \.isForged, says: { $0 ? "its timestamps are signed with another key" : nil }),
      .term(
        "conduct", .choice(called: "conduct of a log"),
        "how it keeps what its timestamps promise: it shows all one tree (honest, if left out), shows the certificate in one "
          + "of two trees (split-view), or never includes it (omits)", into: \.conduct,
        says: { conduct in
          switch conduct {
          case .honest: nil
          case .splitView: "shows two trees"
          case .omits: "never includes what it promises to"
          }
        }),
      .term(
        "mmd", .duration, "its maximum merge delay; 1 day, if left out", into: \.mergeDelay,
        says: { $0 == 86_400 ? nil : "includes within \(Detail.seconds($0).description)" }),
      .term(
        "audited", .duration,
        "how long after the connections an auditor asks it for the certificate, and a monitor reads it (RFC 6962 section 5); "
          + "nobody does, if left out", into: \.audited,
        says: { "asked \(Detail.seconds($0).description) later by an auditor and a monitor" }),
    ])

  /// What `describe` says of it.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension Kind {
  /// Names of logs, or how many; what is only counted has the empty name.
  fileprivate static var logNames: Kind<[String]> {
    let names = Kind<[String]>.list(.text)
    return Kind<[String]>(.either([.integer(0...100), names.shape])) { reader in
      guard reader.node.items != nil else { return reader.integer(0...100).map { Array(repeating: "", count: $0) } }
      return names.read(reader)
    }
  }

  /// A number of embedded timestamps, the logs they are of, or which come in which way.
  static var timestamps: Kind<TimestampsDescription> {
    let section = Kind<TimestampsDescription>.section(TimestampsDescription.section) { TimestampsDescription() }
    return Kind<TimestampsDescription>(.either([.integer(0...100), .list(.text), section.shape])) { reader in
      if reader.node.entries != nil { return section.read(reader)?.numbered }
      return Kind<[String]>.logNames.read(reader).map { names in
        var timestamps = TimestampsDescription()
        timestamps.embedded = names
        return timestamps.numbered
      }
    }
  }
}
