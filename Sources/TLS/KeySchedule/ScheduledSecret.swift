import Explanation

/// A secret that Derive-Secret computes in the key schedule of TLS 1.3 (RFC 8446 section 7.1).
///
/// RFC 9846 replaces "master" in the names with "main", or omits it. The labels are the same.
public enum ScheduledSecret: Sendable, Hashable, CaseIterable {
  /// `binder_key` of an external PSK, over no messages.
  case externalBinderKey
  /// `binder_key` of a PSK from a ticket, over no messages.
  case resumptionBinderKey
  /// `client_early_traffic_secret`, over ClientHello.
  case clientEarlyTraffic
  /// `early_exporter_master_secret`, over ClientHello.
  case earlyExporter
  /// `client_handshake_traffic_secret`, over ClientHello…ServerHello.
  case clientHandshakeTraffic
  /// `server_handshake_traffic_secret`, over ClientHello…ServerHello.
  case serverHandshakeTraffic
  /// `client_application_traffic_secret_0`, over ClientHello…server Finished.
  case clientApplicationTraffic
  /// `server_application_traffic_secret_0`, over ClientHello…server Finished.
  case serverApplicationTraffic
  /// `exporter_master_secret`, over ClientHello…server Finished.
  case exporter
  /// `resumption_master_secret`, over ClientHello…client Finished.
  case resumption

  /// One of the three secrets that HKDF-Extract computes.
  public enum Stage: Sendable, Hashable, CaseIterable {
    case early
    case handshake
    case master

    /// The kind of value: `early_secret`, `handshake_secret` or `master_secret`.
    public var kind: ValueKind {
      switch self {
      case .early: .earlySecret
      case .handshake: .handshakeSecret
      case .master: .masterSecret
      }
    }
  }

  /// The messages whose hash the secret depends on. Each range begins with ClientHello.
  public enum Coverage: Sendable, Hashable, CaseIterable {
    /// No messages.
    case nothing
    /// The complete ClientHello.
    case clientHello
    /// The messages up to ServerHello.
    case serverHello
    /// The messages up to the server's Finished.
    case serverFinished
    /// The messages up to the client's Finished.
    case clientFinished
  }

  /// One row of the table of secrets.
  private struct Row {
    let stage: Stage
    let label: Method.ExpandLabel
    let coverage: Coverage
    let kind: ValueKind
    var side: Side?
  }

  private static let firstTrafficSecret = ValueKind.applicationTrafficSecret(0)

  private var row: Row {
    switch self {
    case .externalBinderKey: Row(stage: .early, label: .externalBinder, coverage: .nothing, kind: .binderKey)
    case .resumptionBinderKey: Row(stage: .early, label: .resumptionBinder, coverage: .nothing, kind: .binderKey)
    case .clientEarlyTraffic:
      Row(
        stage: .early, label: .clientEarlyTraffic, coverage: .clientHello, kind: .earlyTrafficSecret, side: .client)
    case .earlyExporter:
      Row(stage: .early, label: .earlyExporter, coverage: .clientHello, kind: .earlyExporterSecret)
    case .clientHandshakeTraffic:
      Row(
        stage: .handshake, label: .clientHandshakeTraffic, coverage: .serverHello, kind: .handshakeTrafficSecret,
        side: .client)
    case .serverHandshakeTraffic:
      Row(
        stage: .handshake, label: .serverHandshakeTraffic, coverage: .serverHello, kind: .handshakeTrafficSecret,
        side: .server)
    case .clientApplicationTraffic:
      Row(
        stage: .master, label: .clientApplicationTraffic, coverage: .serverFinished,
        kind: Self.firstTrafficSecret, side: .client)
    case .serverApplicationTraffic:
      Row(
        stage: .master, label: .serverApplicationTraffic, coverage: .serverFinished,
        kind: Self.firstTrafficSecret, side: .server)
    case .exporter: Row(stage: .master, label: .exporterMaster, coverage: .serverFinished, kind: .exporterSecret)
    case .resumption: Row(stage: .master, label: .resumptionMaster, coverage: .clientFinished, kind: .resumptionSecret)
    }
  }

  /// The secret from which this one is derived.
  public var stage: Stage { row.stage }
  /// The label in HKDF-Expand-Label.
  public var label: Method.ExpandLabel { row.label }
  /// The messages whose hash the secret depends on.
  public var coverage: Coverage { row.coverage }
  /// The kind of value, such as `handshake_traffic_secret`.
  public var kind: ValueKind { row.kind }
  /// The side whose records the secret protects; nil for other secrets.
  public var side: Side? { row.side }
}

extension ScheduledSecret {
  /// The secret that protects the records of `side` during the handshake.
  public static func handshakeTraffic(of side: Side) -> ScheduledSecret {
    side == .client ? .clientHandshakeTraffic : .serverHandshakeTraffic
  }

  /// The secret that protects the records of `side` after the handshake.
  public static func applicationTraffic(of side: Side) -> ScheduledSecret {
    side == .client ? .clientApplicationTraffic : .serverApplicationTraffic
  }
}

/// The labels of the secrets in a key log (RFC 9850 section 2).
extension ScheduledSecret {
  /// The label in a key log; nil for a secret that no key log contains.
  public var keyLogLabel: String? {
    switch self {
    case .clientEarlyTraffic: "CLIENT_EARLY_TRAFFIC_SECRET"
    case .earlyExporter: "EARLY_EXPORTER_SECRET"
    case .clientHandshakeTraffic: "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
    case .serverHandshakeTraffic: "SERVER_HANDSHAKE_TRAFFIC_SECRET"
    case .clientApplicationTraffic: "CLIENT_TRAFFIC_SECRET_0"
    case .serverApplicationTraffic: "SERVER_TRAFFIC_SECRET_0"
    case .exporter: "EXPORTER_SECRET"
    case .externalBinderKey, .resumptionBinderKey, .resumption: nil
    }
  }

  /// The secret with this label; nil if there is none. Older programs write `EARLY_EXPORTER_MASTER_SECRET`.
  public init?(keyLogLabel label: String) {
    let label = label == "EARLY_EXPORTER_MASTER_SECRET" ? "EARLY_EXPORTER_SECRET" : label
    guard let secret = Self.allCases.first(where: { $0.keyLogLabel == label }) else { return nil }
    self = secret
  }
}

extension TrafficEpoch {
  /// The secret of the schedule from which the keys of the epoch follow.
  var scheduled: ScheduledSecret {
    switch phase {
    case .early: .clientEarlyTraffic
    case .handshake: .handshakeTraffic(of: side)
    case .application: .applicationTraffic(of: side)
    }
  }
}
