import Captures
import Cryptography
import Explanation
import TLS

/// A file with recorded sessions: a recording in JSON, or a capture (pcap or pcapng).
public struct RecordingFile: Sendable {
  /// The file as the user named it.
  public let path: String
  /// Its sessions.
  public internal(set) var sessions: [Flow]
  /// What is odd about it.
  public internal(set) var warnings: [Diagnostic]

  /// The largest file that is read: 256 MiB of capture, 16 MiB of JSON.
  public static let maximumSize = 1 << 28

  /// Reads `bytes` of the file called `path`.
  ///
  /// - Throws: `Diagnostics` that say where it is neither.
  public init(_ bytes: [UInt8], path: String) throws(Diagnostics) {
    self.path = path
    guard !bytes.isEmpty else {
      throw Diagnostics("'\(path)' is empty", hint: "a recording is JSON, or a capture file (.pcap, .pcapng)")
    }
    if bytes.starts(with: [0x1f, 0x8b]) {
      throw Diagnostics(
        "'\(path)' is compressed with gzip", hint: "open it first: gunzip -c '\(path)' > recording.pcap")
    }
    let start = String(decoding: bytes.prefix(32), as: UTF8.self)
    if ["CLIENT_RANDOM ", "RSA ", "PMS_CLIENT_RANDOM "].contains(where: start.hasPrefix) {
      throw Diagnostics(
        "'\(path)' is a key log, not a recording", hint: "name the capture first: replay run.pcap --keylog \(path)")
    }
    if start.hasPrefix("-----BEGIN ") {
      throw Diagnostics(
        "'\(path)' is a PEM file, not a recording", hint: "name the capture first: replay run.pcap --server-key \(path)"
      )
    }
    if CaptureReader.isCapture(bytes) {
      (sessions, warnings) = try Self.capture(bytes, path)
    } else {
      (sessions, warnings) = try RecordingReader.read(bytes, path)
    }
  }

  private static func capture(
    _ bytes: [UInt8], _ path: String
  ) throws(Diagnostics) -> ([Flow], [Diagnostic]) {
    let capture: CaptureReader
    do throws(CaptureError) {
      capture = try CaptureReader(bytes)
    } catch {
      throw Diagnostics("\(path): \(error.message)", hint: error.hint)
    }
    let captured = capture.sessions
    var sessions = captured.map(\.flow)
    guard !sessions.isEmpty else {
      if capture.hasDatagramTLS {
        throw Diagnostics(
          "what '\(path)' holds of TLS travels in datagrams: DTLS (RFC 6347) or QUIC, which is not modelled",
          hint: "replay reads TLS 1.0 to 1.2 over TCP")
      }
      throw Diagnostics(
        "there is no TLS session in '\(path)' (\(capture.packetCount) packets)",
        hint: "a session must be recorded from its ClientHello on; capture before the client connects")
    }
    for text in capture.keyLogs {
      let log = try KeyLog.read(text, path: "the secrets within \(path)")
      for index in sessions.indices { sessions[index].secrets.keyLog.merge(log.secrets) }
    }
    return (sessions, [capture.cut.map(warning)].compactMap(\.self) + captured.flatMap(warnings))
  }

  private static func warning(_ cut: CaptureError) -> Diagnostic {
    Diagnostic("\(cut.message): what stands whole before it is read", hint: cut.hint, severity: .warning)
  }

  private static func warnings(_ session: CaptureReader.Session) -> [Diagnostic] {
    session.incomplete.map { side in
      Diagnostic(
        "\(session.flow.id): the capture lacks bytes that the \(side) sent; what follows them is left out",
        hint: "was every packet captured?", severity: .warning)
    }
  }

  /// Adds the secrets of a key log to every session.
  public mutating func add(_ log: KeyLog) {
    for index in sessions.indices { sessions[index].secrets.keyLog.merge(log.secrets) }
  }

  /// Gives every session this server key.
  public mutating func use(_ key: PrivateKey) {
    for index in sessions.indices { sessions[index].secrets.serverKey = key }
  }
}

extension KeyLog {
  /// Reads the key log `text` of the file called `path`.
  ///
  /// - Throws: `Diagnostics` with the place of what cannot be read.
  public static func read(_ text: String, path: String) throws(Diagnostics) -> KeyLog {
    do throws(KeyLog.Problem) {
      return try KeyLog(text)
    } catch {
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let line = lines.indices.contains(error.line - 1) ? String(lines[error.line - 1]) : nil
      throw Diagnostics(
        "not a key log: \(error.message)", hint: "a line is CLIENT_RANDOM, 64 and 96 hexadecimal digits",
        at: SourceMark(file: path, line: error.line, column: error.column), line: line)
    }
  }
}

extension CaptureError {
  /// What is wrong.
  public var message: String {
    switch self {
    case .clock(let clock): "the clock of this run, \(clock), does not fit into a capture file"
    case .cut(let within, let offset): "the capture ends within \(within), at byte \(offset)"
    case .misfit(let packet): "packet \(packet) of the capture does not fit into its block"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch self {
    case .clock: "its packets bear times from 1970 to 2106: change the scenario's 'clock'"
    case .cut: "was it copied whole? 'capinfos' or 'tshark -r' says how far it can be read"
    case .misfit: "is the file damaged? 'capinfos' or 'tshark -r' says how far it can be read"
    }
  }
}
