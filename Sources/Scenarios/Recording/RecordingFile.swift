import Captures
import Cryptography
import Explanation
import TLS

/// A file with recorded sessions: a recording in JSON, or a packet capture (pcap or pcapng).
public struct RecordingFile: Sendable {
  /// The file name as the user wrote it.
  public let path: String
  /// The recorded sessions.
  public internal(set) var sessions: [Flow]
  /// The problems of the file that are not errors.
  public internal(set) var warnings: [Diagnostic]

  /// The maximum size of a file: 256 MiB for a capture, 16 MiB for JSON.
  public static let maximumSize = 1 << 28

  /// Reads `bytes`, the contents of the file at `path`.
  ///
  /// - Throws: `Diagnostics` if the file is neither a recording nor a capture.
  public init(_ bytes: [UInt8], path: String) throws(Diagnostics) {
    self.path = path
    guard !bytes.isEmpty else {
      throw Diagnostics("'\(path)' is empty", hint: "a recording is a JSON file or a capture (.pcap, .pcapng)")
    }
    if bytes.starts(with: [0x1f, 0x8b]) {
      throw Diagnostics(
        "'\(path)' is compressed with gzip", hint: "decompress it first: gunzip -c '\(path)' > recording.pcap")
    }
    if let other = Self.otherFormats.first(where: { bytes.starts(with: $0.magic) }) {
      throw Diagnostics("'\(path)' is \(other.name), which is not supported", hint: other.hint)
    }
    let start = String(decoding: bytes.prefix(40), as: UTF8.self)
    let labels = ["CLIENT_RANDOM ", "RSA ", "PMS_CLIENT_RANDOM ", "CLIENT_HANDSHAKE_TRAFFIC_SECRET "]
    if labels.contains(where: start.hasPrefix) {
      throw Diagnostics(
        "'\(path)' is a key log, not a recording", hint: "put the capture first: replay run.pcap --keylog \(path)")
    }
    if start.hasPrefix("-----BEGIN ") {
      throw Diagnostics(
        "'\(path)' is a PEM file, not a recording", hint: "put the capture first: replay run.pcap --server-key \(path)"
      )
    }
    if CaptureReader.isCapture(bytes) {
      (sessions, warnings) = try Self.capture(bytes, path)
    } else {
      (sessions, warnings) = try RecordingReader.read(bytes, path)
    }
  }

  private static let otherFormats: [(magic: [UInt8], name: String, hint: String)] = {
    let convert = "convert it: editcap -F pcapng IN OUT"
    return [
      (Array("snoop\0".utf8), "a capture of snoop", convert),
      (Array("GMBU".utf8), "a capture of Network Monitor", convert),
      (Array("RTSS".utf8), "a capture of Network Monitor", convert),
      ([0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", "decompress it first: zstd -d FILE"),
      ([0x42, 0x5a, 0x68], "compressed with bzip2", "decompress it first: bunzip2 FILE"),
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "compressed with xz", "decompress it first: unxz FILE"),
      ([0x50, 0x4b, 3, 4], "a zip archive", "extract it first: unzip FILE"),
    ]
  }()

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
    guard !sessions.isEmpty else { throw nothing(in: capture, path) }
    var warnings = capture.cut.map { [warning($0)] } ?? []
    if capture.cutPackets.count > 0 { warnings.append(warning(capture.cutPackets, of: capture.packetCount)) }
    for text in capture.keyLogs {
      let log = try KeyLog.read(text, path: "the secrets in \(path)")
      warnings += log.warnings(path: "the secrets in \(path)")
      for index in sessions.indices { sessions[index].secrets.keyLog.merge(log.secrets) }
    }
    return (sessions, warnings + captured.flatMap(Self.warnings))
  }

  private static func warning(_ cut: CaptureError) -> Diagnostic {
    Diagnostic("\(cut.message): only the complete packets before it are read", hint: cut.hint, severity: .warning)
  }

  private static func warning(_ cut: CaptureReader.CutPackets, of count: Int) -> Diagnostic {
    Diagnostic(
      "\(cut.count) of \(count) packets were cut to at most \(cut.length) bytes by the snap length",
      hint: "capture whole packets: tcpdump -s 0, or a snap length of 262144", severity: .warning)
  }

  private static func warnings(_ session: CaptureReader.Session) -> [Diagnostic] {
    let reasons = Set(session.incomplete.compactMap { session.flow.incomplete[$0] })
    return reasons.sorted().map { reason in
      let sides = session.incomplete.filter { session.flow.incomplete[$0] == reason }.map(\.description)
      return Diagnostic(
        "\(session.flow.id): this is \(reason); it lacks data of the \(sides.joined(separator: " and the "))",
        hint: "capture both directions, and every packet", severity: .warning)
    }
  }

  /// Returns the reason why the capture has no session to replay.
  private static func nothing(in capture: CaptureReader, _ path: String) -> Diagnostics {
    if capture.hasDatagramTLS {
      return Diagnostics(
        "the TLS in '\(path)' is in datagrams: DTLS (RFC 6347) and QUIC are not supported",
        hint: "replay reads TLS 1.0 to 1.3 over TCP")
    }
    let obstacles = capture.obstacles
    guard let first = obstacles.first else {
      return Diagnostics(
        "there is no TLS session in '\(path)' (\(capture.packetCount) packets)",
        hint: "start the capture before the client connects, so that it includes the ClientHello")
    }
    let others = obstacles.dropFirst().prefix(4).map(\.message)
    let more = obstacles.count > 5 ? ["\(obstacles.count - 5) more connections"] : []
    return Diagnostics(
      "there is no readable TLS session in '\(path)': "
        + ([first.message] + others + more).joined(separator: "; "),
      hint: first.hint)
  }

  /// Adds the secrets of a key log to every session.
  public mutating func add(_ log: KeyLog) {
    for index in sessions.indices { sessions[index].secrets.keyLog.merge(log.secrets) }
  }

  /// Assigns the server key to every session.
  public mutating func use(_ key: PrivateKey) {
    for index in sessions.indices { sessions[index].secrets.serverKey = key }
  }
}

extension KeyLog {
  /// Reads `text`, the key log in the file at `path`. Skips invalid lines, which `warnings(path:)` reports.
  ///
  /// - Throws: `Diagnostics` with the place of the first line, if no line is valid.
  public static func read(_ text: String, path: String) throws(Diagnostics) -> KeyLog {
    let log = KeyLog(text)
    guard log.lines.isEmpty, log.others.isEmpty, let problem = log.problems.first else { return log }
    if text.hasPrefix("-----BEGIN ") {
      throw Diagnostics("'\(path)' is a PEM file, not a key log", hint: "pass a private key with --server-key \(path)")
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let line = lines.indices.contains(problem.line - 1) ? String(lines[problem.line - 1]) : nil
    throw Diagnostics(
      "not a key log: \(problem.message)",
      hint: "a line has CLIENT_RANDOM, 64 hexadecimal digits and 96 hexadecimal digits",
      at: SourceMark(file: path, line: problem.line, column: problem.column), line: line)
  }

  /// Returns a warning with its place for each unused line, but only for the first few of many.
  public func warnings(path: String) -> [Diagnostic] {
    let limit = 8
    let unread = problems.map { problem in
      Diagnostic(
        "line \(problem.line) of the key log is not used: \(problem.message)",
        at: SourceMark(file: path, line: problem.line, column: problem.column), severity: .warning)
    }
    let foreign = others.filter { !$0.isRegistered }.map { other in
      Diagnostic(
        "line \(other.line) of the key log is not used: the label \(other.label.prefix(40)) is unknown",
        at: SourceMark(file: path, line: other.line, column: 1), severity: .warning)
    }
    let all = (unread + foreign).sorted { ($0.mark?.line ?? 0) < ($1.mark?.line ?? 0) }
    guard all.count > limit else { return all }
    return all.prefix(limit) + [
      Diagnostic("\(all.count - limit) more lines of the key log are not used", severity: .warning)
    ]
  }
}

extension CaptureReader.Obstacle {
  /// The contents of the capture, in words.
  public var message: String {
    switch self {
    case .noPackets: "there are no packets"
    case .noIP(let name, let count): "\(count) packets of \(name), without readable IP data"
    case .cutPackets(let count, let length):
      "\(count) packets without TCP data, because the snap length cut them to \(length) bytes"
    case .silent(let name, let found): "\(name): \(found)"
    case .linkType(let name, let count): "\(count) packets of \(name), which is not supported"
    case .encryptedWireless(let count): "\(count) encrypted 802.11 frames (WEP or WPA)"
    case .blocks(let types):
      "blocks of the types \(types.prefix(8).map { String($0) }.joined(separator: ", ")), which are not supported"
    case .noTCP(let protocols): "no TCP packets, but \(protocols)"
    case .connection(let name, let speaks): "\(name): \(speaks)"
    case .beganBefore(let name): "\(name): a TLS session without its ClientHello, which began before the capture"
    }
  }

  /// The hint that follows the error message.
  public var hint: String {
    switch self {
    case .noPackets: "capture on the interface that carries the traffic, while the client connects"
    case .noIP: "capture the packets of the client or the server; 'tshark -r' shows the captured packets"
    case .cutPackets: "capture whole packets: tcpdump -s 0, or a snap length of 262144"
    case .silent:
      "check that the server listens, and that the capture has both directions"
    case .linkType: "capture on an interface with IP packets, such as Ethernet, Wi-Fi, PPP or 'any' of Linux"
    case .encryptedWireless: "decrypt the frames first (airdecap-ng), or capture on the client or the server"
    case .blocks: "convert the file to Enhanced Packet Blocks: editcap in.pcapng out.pcapng"
    case .noTCP: "replay reads TLS over TCP; if there is a tunnel, capture inside it"
    case .connection: "replay reads TLS 1.0 to 1.3 over TCP; check that this is the right connection"
    case .beganBefore: "start the capture before the client connects, so that it includes the ClientHello"
    }
  }
}

extension CaptureError {
  /// The error message.
  public var message: String {
    switch self {
    case .clock(let clock): "the clock of this run, \(clock), is out of range for a capture file"
    case .cut(let within, let offset): "the capture ends within \(within), at byte \(offset)"
    case .misfit(let packet): "packet \(packet) of the capture is larger than its block"
    }
  }

  /// The hint that follows the error message.
  public var hint: String {
    switch self {
    case .clock: "its timestamps range from 1970 to 2106: change the scenario's 'clock'"
    case .cut: "copy the complete file; 'capinfos' or 'tshark -r' shows the readable part"
    case .misfit: "the file may be damaged; 'capinfos' or 'tshark -r' shows the readable part"
    }
  }
}
