import Captures
import Cryptography
import Endpoint
import Explanation
import TLS

/// A recorded connection, opened from its first byte to its last by the passive machine, with one secret that a proof
/// came by.
public struct Playback: Sendable, Hashable {
  /// The secret's name.
  public let secret: Value.ID
  /// How many bytes of application data came out.
  public let recovered: Int
  /// Whether they are, byte for byte, what the two ends said.
  public let isEqual: Bool

  /// Opens the connection that `value`, application data, belongs to, with the earliest secret of `known`; nil where
  /// none of them opens a recording, or `value` is something else.
  init?(of value: Value.ID, with known: [Value.ID: [UInt8]], in trace: Trace) {
    guard let start = value.ranges(of: "application_data.").last?.lowerBound else { return nil }
    let prefix = String(value[..<start])
    let recording = ConnectionRecording(prefix, in: trace)
    guard !recording.portions.isEmpty,
      let (name, secrets) = Self.secrets(prefix, known, recording.encryptsPremaster)
    else { return nil }
    let recovered = recording.applicationData(with: secrets, prefix)
    let said = trace.values.filter { $0.key.hasPrefix("\(prefix)application_data.") }.mapValues(\.bytes)
    secret = name
    self.recovered = recovered.values.reduce(0) { $0 + $1.count }
    isEqual = recovered == said
  }

  private static func secrets(
    _ prefix: String, _ known: [Value.ID: [UInt8]], _ encryptsPremaster: Bool
  ) -> (Value.ID, SessionSecrets)? {
    let keys = known.keys.filter { $0.hasSuffix(".key") }.sorted()
    if encryptsPremaster, let name = keys.first, keys.count == 1, let der = known[name],
      let key = try? PrivateKey(der: der)
    {
      return (name, SessionSecrets(serverKey: key))
    }
    if let premaster = known[prefix + "premaster_secret"] {
      return (prefix + "premaster_secret", SessionSecrets(premasterSecret: premaster))
    }
    return known[prefix + "master_secret"].map { (prefix + "master_secret", SessionSecrets(masterSecret: $0)) }
  }
}

/// The bytes that both sides of one connection put on the network.
public struct ConnectionRecording: Sendable {
  /// What travelled, in order.
  public let portions: [Flow.Portion]
  /// Whether a premaster secret travelled, encrypted.
  let encryptsPremaster: Bool

  /// The connection whose values begin with `prefix`.
  public init(_ prefix: String, in trace: Trace) {
    let isUpstream = prefix.hasSuffix("upstream.")
    let own = isUpstream ? prefix.dropLast("upstream.".count) : prefix[...]
    let name = own.isEmpty ? nil : String(own.dropLast())
    let messages = trace.steps.filter {
      $0.kind == .message && $0.connection == name && !$0.bytes.isEmpty && !$0.isFetch && !$0.isAboutTunnel
    }
    let hasClient = messages.contains { $0.from == .client || $0.to == .client }
    portions = messages.compactMap { step in
      let isClients = step.from == .client || step.to == .client
      guard !hasClient || isClients != isUpstream else { return nil }
      let isFromClient = step.from == (hasClient && !isUpstream ? .client : .interceptor)
      return Flow.Portion(isFromClient ? .client : .server, step.bytes, at: step.at)
    }
    encryptsPremaster = trace.values["\(prefix)encrypted_premaster_secret"] != nil
  }

  /// Everything that the two ends said under protection, by the names of values, as far as `secrets` open it.
  public func applicationData(with secrets: SessionSecrets, _ prefix: String = "") -> [Value.ID: [UInt8]] {
    var replay = Replay(ReplayConfiguration(secrets: secrets, valuePrefix: prefix))
    var data: [Value.ID: [UInt8]] = [:]
    for portion in portions {
      for case .derived(let value, _) in replay.receive(portion.bytes, from: portion.side)
      where value.id.hasPrefix("\(prefix)application_data.") {
        data[value.id] = value.bytes
      }
    }
    return data
  }
}
