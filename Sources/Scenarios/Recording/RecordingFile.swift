import Cryptography
import Explanation
import Simulator
import TLS

/// A file with recorded sessions: a recording in JSON, or a capture (pcap or pcapng).
public struct RecordingFile: Sendable {
  /// The file as the user named it.
  public let path: String
  /// Its sessions.
  public internal(set) var recordings: [Recording]
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
    if CaptureReading.isCapture(bytes) {
      (recordings, warnings) = try Self.capture(bytes, path)
    } else {
      (recordings, warnings) = try RecordingReader.read(bytes, path)
    }
  }

  private static func capture(
    _ bytes: [UInt8], _ path: String
  ) throws(Diagnostics) -> ([Recording], [Diagnostic]) {
    let capture: CaptureReading
    do throws(CaptureReading.Problem) {
      capture = try CaptureReading(bytes)
    } catch {
      throw Diagnostics("\(path): \(error.message)", hint: error.hint)
    }
    var (recordings, remarks) = capture.recordings()
    guard !recordings.isEmpty else {
      throw Diagnostics(
        "there is no TLS session in '\(path)' (\(capture.packets.count) packets)",
        hint: "a session must be recorded from its ClientHello on; capture before the client connects")
    }
    for text in capture.keyLogs {
      let log = try KeyLogFile.read(text, path: "the secrets within \(path)")
      for index in recordings.indices { recordings[index].secrets.keyLog.merge(log) }
    }
    return (recordings, remarks.map { Diagnostic($0, hint: "was every packet captured?", severity: .warning) })
  }

  /// Adds the secrets of a key log to every session.
  public mutating func add(_ log: KeyLogFile) {
    for index in recordings.indices { recordings[index].secrets.keyLog.merge(log) }
  }

  /// Gives every session this server key.
  public mutating func use(_ key: PrivateKey) {
    for index in recordings.indices { recordings[index].secrets.serverKey = key }
  }
}

extension KeyLogFile {
  /// Reads the key log `text` of the file called `path`.
  ///
  /// - Throws: `Diagnostics` with the place of what cannot be read.
  public static func read(_ text: String, path: String) throws(Diagnostics) -> KeyLogFile {
    do throws(KeyLogFile.Problem) {
      return try KeyLogFile(text)
    } catch {
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let line = lines.indices.contains(error.line - 1) ? String(lines[error.line - 1]) : nil
      throw Diagnostics(
        "not a key log: \(error.message)", hint: "a line is CLIENT_RANDOM, 64 and 96 hexadecimal digits",
        at: SourceMark(file: path, line: error.line, column: error.column), line: line)
    }
  }
}
