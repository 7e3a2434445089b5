import Captures
import Cryptography
import Endpoint
import Explanation
import TLS

/// A recorded connection, decrypted by the passive decoder with one secret from a proof.
///
/// The decoder decrypts the connection from its first byte to its last.
public struct Playback: Sendable, Hashable {
  /// The names of the secrets. TLS 1.3 has one for each side, and one for early data.
  public let secrets: [Value.ID]
  /// The sides whose application data the secrets decrypt.
  public let sides: Set<Side>
  /// The number of decrypted bytes of application data.
  public let recovered: Int
  /// Whether the decrypted bytes equal the sent data.
  public let isEqual: Bool

  /// Decrypts the connection with the application data `value`, using the earliest secret in `known`.
  ///
  /// The result is nil if no secret decrypts a recording, or if `value` is not application data.
  init?(of value: Value.ID, with known: [Value.ID: [UInt8]], in trace: Trace) {
    let scope = value.scope
    guard value.kind == .applicationData, scope == scope.connection else { return nil }
    let recording = ConnectionRecording(scope, in: trace)
    guard !recording.portions.isEmpty,
      let (names, secrets, sides) = Self.trafficSecrets(scope, known, trace)
        ?? Self.secrets(scope, known, recording.encryptsPremaster, trace)
    else { return nil }
    let recovered = recording.applicationData(with: secrets, scope)
    let sent = trace.values.filter { name, _ in name.kind == .applicationData && name.scope == scope }
      .mapValues(\.bytes)
    let hasEarlyData = trace.values[scope.name(.earlyTrafficSecret, of: .client)] != nil
    self.secrets = names
    self.sides = sides
    self.recovered = recovered.values.reduce(0) { $0 + $1.count }
    isEqual =
      recovered.values.contains(trace.values[value]?.bytes ?? [])
      && sides.allSatisfy { side in
        let (found, all) = (Self.records(of: side, recovered), Self.records(of: side, sent))
        return found == all || hasEarlyData && (all.starts(with: found) || all.suffix(found.count) == found[...])
      }
  }

  /// Returns the application data of a side, in order. Early data has a secret of its own, so that a proof may decrypt
  /// only the first records, or only the later ones.
  private static func records(of side: Side, _ data: [Value.ID: [UInt8]]) -> [[UInt8]] {
    data.filter { $0.key.side == side }.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func secrets(
    _ scope: ValueScope, _ known: [Value.ID: [UInt8]], _ encryptsPremaster: Bool, _ trace: Trace
  ) -> ([Value.ID], SessionSecrets, Set<Side>)? {
    let sides = Set(Side.allCases)
    guard trace.values[scope.name(.handshakeSecret)] == nil else { return nil }
    let keys = known.keys.filter { $0.kind == .key }.sorted()
    if encryptsPremaster, let name = keys.first, keys.count == 1, let der = known[name],
      let key = try? PrivateKey(der: der)
    {
      return ([name], SessionSecrets(serverKey: key), sides)
    }
    let (premaster, master) = (scope.name(.premasterSecret), scope.name(.masterSecret))
    if let secret = known[premaster] { return ([premaster], SessionSecrets(premasterSecret: secret), sides) }
    return known[master].map { ([master], SessionSecrets(masterSecret: $0), sides) }
  }
}

extension Playback {
  /// The known traffic secrets of TLS 1.3, and the sides whose application data they decrypt.
  private static func trafficSecrets(
    _ scope: ValueScope, _ known: [Value.ID: [UInt8]], _ trace: Trace
  ) -> ([Value.ID], SessionSecrets, Set<Side>)? {
    guard let random = trace.values[scope.name(.random, of: .client)]?.bytes else { return nil }
    var secrets = SessionSecrets()
    var found: [(name: Value.ID, side: Side)] = []
    for secret in [ScheduledSecret.serverApplicationTraffic, .clientApplicationTraffic, .clientEarlyTraffic] {
      let name = scope.name(secret.kind, of: secret.side)
      guard let side = secret.side, let label = secret.keyLogLabel, let bytes = known[name] else { continue }
      secrets.keyLog.add(bytes, label, clientRandom: random)
      found.append((name, side))
    }
    return found.isEmpty ? nil : (found.map(\.name), secrets, Set(found.map(\.side)))
  }
}

/// The bytes that both sides of one connection sent.
public struct ConnectionRecording: Sendable {
  /// The bytes of the connection, in the order in which they were sent.
  public let portions: [Flow.Chunk]
  /// Whether an encrypted premaster secret was sent in the connection.
  let encryptsPremaster: Bool

  /// Collects the connection with the values of `scope`.
  public init(_ scope: ValueScope, in trace: Trace) {
    let isUpstream = scope.isUpstream
    let name = scope.owner.isEmpty ? nil : scope.owner
    let messages = trace.steps.filter {
      $0.kind == .message && $0.connection == name && !$0.bytes.isEmpty && !$0.isFetch && !$0.isAboutTunnel
    }
    let hasClient = messages.contains { $0.from == .client || $0.to == .client }
    portions = messages.compactMap { step in
      let isClients = step.from == .client || step.to == .client
      guard !hasClient || isClients != isUpstream else { return nil }
      let isFromClient = step.from == (hasClient && !isUpstream ? .client : .interceptor)
      return Flow.Chunk(isFromClient ? .client : .server, step.bytes, at: step.at)
    }
    encryptsPremaster = trace.values[scope.name(.encryptedPremasterSecret)] != nil
  }

  /// Returns the application data of both endpoints that `secrets` decrypt, by value name.
  public func applicationData(with secrets: SessionSecrets, _ scope: ValueScope = ValueScope()) -> [Value.ID: [UInt8]] {
    let configuration = ReplayConfiguration(secrets: secrets, valueScope: scope)
    let answer = portions.filter { $0.side == .server }.flatMap(\.bytes)
    var replay: any SessionReplay = Replay13(configuration, answer: answer) ?? Replay(configuration)
    var data: [Value.ID: [UInt8]] = [:]
    for portion in portions {
      for case .derived(let value, _) in replay.receive(portion.bytes, from: portion.side)
      where value.id.kind == .applicationData && value.id.scope == scope {
        data[value.id] = value.bytes
      }
    }
    return data
  }
}
