import Captures
import Cryptography
import Explanation
import TLS

/// Reads recorded sessions in JSON.
///
/// A recording is `{keys?, transcripts: [{id, records: [{dir, hex}], key?, master_secret?, …}]}`, a list of
/// transcripts, or one transcript. JSON is a subset of YAML, so handwritten YAML is valid too.
struct RecordingReader {
  private let sink: DiagnosticSink
  private var keys: [String: PrivateKey] = [:]

  /// The maximum size of a file in bytes, and the maximum number of values in it.
  private static let maximumSize = 1 << 24
  private static let maximumNodes = 500_000

  static func read(_ bytes: [UInt8], _ path: String) throws(Diagnostics) -> ([Flow], [Diagnostic]) {
    let document = try YAMLDocument(
      bytes, file: path, maximumSize: maximumSize, maximumNodes: maximumNodes, kind: "a recording")
    let sink = DiagnosticSink(lines: [path: document.lines])
    var reader = RecordingReader(sink: sink)
    let recordings = reader.recordings(NodeReader(node: document.root, path: "", sink: sink))
    return (recordings, try sink.finish())
  }

  private init(sink: DiagnosticSink) { self.sink = sink }

  private mutating func recordings(_ root: NodeReader) -> [Flow] {
    if case .scalar = root.node {
      root.fail(
        "this is not a recording: neither a capture (pcap, pcapng) nor JSON",
        hint: "'trustlab replay --help' shows the format of a recording")
      return []
    }
    var transcripts = root
    if root.node.entries != nil, root.node["records"] == nil {
      let file = map(root, ["source", "keys", "transcripts"])
      readKeys(file?["keys"])
      guard let list = file?["transcripts"] else {
        root.fail(
          "a recording needs 'transcripts', or 'records' for a single transcript",
          hint: "'trustlab replay --help' shows the format of a recording")
        return []
      }
      transcripts = list
    }
    if transcripts.node.entries != nil { return [transcript(transcripts, number: 1)].compactMap(\.self) }
    var number = 0
    let all = transcripts.list { item -> Flow? in
      number += 1
      return transcript(item, number: number)
    }
    if all?.isEmpty == true, sink.all.isEmpty { transcripts.fail("the recording has no transcript") }
    return all ?? []
  }

  private mutating func readKeys(_ reader: NodeReader?) {
    let read = reader?.named { name, _, value -> (String, PrivateKey?)? in
      let pem = value.node.entries == nil ? value : map(value, ["key_pem", "cert_pem", "certificate_pem"])?["key_pem"]
      // A certificate may be present without its key.
      return (name, pem.flatMap { privateKey($0, isOptional: true) })
    }
    let known = (read ?? []).compactMap { name, key in key.map { (name, $0) } }
    keys = Dictionary(known) { first, _ in first }
  }

  /// Reads a private key. If `isOptional`, a key of an unsupported algorithm causes only a warning.
  private func privateKey(_ reader: NodeReader, isOptional: Bool = false) -> PrivateKey? {
    guard let text = reader.text() else { return nil }
    do throws(KeyError) {
      return try PrivateKey(pem: text)
    } catch {
      if isOptional, case .unsupportedAlgorithm = error {
        sink.warning("this key is not used: \(error)", hint: "", at: reader.node.mark)
        return nil
      }
      reader.fail("this is not a private key: \(error)", hint: "a key is a PEM text: -----BEGIN PRIVATE KEY-----")
      return nil
    }
  }

  /// Reads a map. Unknown keys only cause a warning, because recorders add various keys.
  private func map(_ reader: NodeReader, _ known: [String]) -> MapReader? {
    guard let entries = reader.node.entries else {
      reader.fail("this must be a map, not \(reader.node.kind)", hint: "its keys are \(known.joined(separator: ", "))")
      return nil
    }
    for entry in entries where !known.contains(entry.key) {
      sink.warning("'\(entry.key)' is not used", hint: Spelling.hint(for: entry.key, among: known), at: entry.mark)
    }
    return MapReader(reader: reader, entries: entries)
  }

  /// The keys of a transcript. The keys of the last line only contain information that the session itself has.
  private static let words = [
    "id", "records", "key", "server_key", "premaster_secret", "master_secret", "client_random", "key_log", "at",
    "cipher", "group", "extended_master_secret", "first_app_plaintext", "handshake_types",
  ]

  private func transcript(_ reader: NodeReader, number: Int) -> Flow? {
    guard let map = map(reader, Self.words) else { return nil }
    guard let records = map["records"] else {
      reader.fail("a transcript needs 'records'", hint: "records: [{dir: client, hex: 1603…}, …]")
      return nil
    }
    let start = map["at"]?.date()
    let portions = records.list { portion($0, start) } ?? []
    var secrets = SessionSecrets()
    secrets.serverKey = map["server_key"].flatMap { privateKey($0) } ?? map["key"].flatMap(namedKey)
    secrets.premasterSecret = map["premaster_secret"].flatMap { bytes($0) }
    secrets.masterSecret = map["master_secret"].flatMap { bytes($0, count: KeySchedule12.masterSecretLength) }
    if let log = map["key_log"], let random = map["client_random"].flatMap({ bytes($0, count: 32) }) {
      secrets.keyLog = keyLog(log, random)
    }
    return Flow(id: map["id"]?.text() ?? "transcript \(number)", portions: portions, secrets: secrets)
  }

  /// Reads the secrets of TLS 1.3: each label of a key log with a secret, or with a list of secrets.
  private func keyLog(_ reader: NodeReader, _ clientRandom: [UInt8]) -> SessionSecrets.Log {
    var log = SessionSecrets.Log()
    let lines = reader.named { label, _, value in
      let secrets = value.node.items == nil ? bytes(value).map { [$0] } : value.list { bytes($0) }
      return secrets?.first.map { (label, $0) }
    }
    for (label, secret) in lines { log.add(secret, label, clientRandom: clientRandom) }
    log.lineCount = lines.count
    return log
  }

  /// Returns one of the recording's own keys, or a key in PEM.
  private func namedKey(_ reader: NodeReader) -> PrivateKey? {
    guard let name = reader.text() else { return nil }
    if let key = keys[name] { return key }
    if name.contains("-----BEGIN") { return privateKey(reader) }
    reader.fail("there is no key '\(name)' under 'keys'", hint: Spelling.hint(for: name, among: keys.keys.sorted()))
    return nil
  }

  private func portion(_ reader: NodeReader, _ start: Instant?) -> Flow.Chunk? {
    guard let map = map(reader, ["dir", "hex", "at"]) else { return nil }
    guard let dir = map["dir"], let hex = map["hex"] else {
      reader.fail("a record needs 'dir' and 'hex'", hint: "{dir: client, hex: 1603…}")
      return nil
    }
    guard let side = dir.choice(["client", "server"], called: "side"), let bytes = bytes(hex) else { return nil }
    return Flow.Chunk(side == "client" ? .client : .server, bytes, at: map["at"]?.date() ?? start)
  }

  private func bytes(_ reader: NodeReader, count: Int? = nil) -> [UInt8]? {
    guard let text = reader.text() else { return nil }
    guard let bytes = Hex.bytes(text) else {
      reader.fail("this must be hexadecimal, with two digits for each byte")
      return nil
    }
    if let count, bytes.count != count {
      reader.fail("this must have \(count) bytes, not \(bytes.count)")
      return nil
    }
    return bytes
  }
}
