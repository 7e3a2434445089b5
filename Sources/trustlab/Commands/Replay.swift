import ArgumentParser
import Captures
import Cryptography
import Foundation
import Rendering
import Scenarios
import Simulator
import TLS

/// The `trustlab replay` command.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Decrypt recorded TLS sessions, and show them as 'trustlab run' shows a connection.",
    discussion: """
      The file is a capture (.pcap or .pcapng) or a JSON recording: \
      {"transcripts": [{"id": "…", "records": [{"dir": "client", "hex": "16…"}, …], "master_secret": "…"}]} or a \
      single transcript. Instead of master_secret, a transcript can have premaster_secret or a PEM server_key. For \
      TLS 1.3, it has client_random, and key_log with labels of a key log: {"CLIENT_TRAFFIC_SECRET_0": "…", …}.

      Examples:
        trustlab run L1-01 --pcap run.pcap --keylog run.keys
        trustlab replay run.pcap --keylog run.keys
        trustlab replay capture.pcap --server-key server.pem --depth numbers
        trustlab replay sessions.json --only my-session --format json

      The exit status is 0 if every record was decrypted and every check passed, otherwise 1.
      """)

  @Argument(help: "A capture file or a JSON recording.")
  var file: String

  @Option(help: "A glob pattern for the ids of the sessions to show.")
  var only: String?

  @Option(help: "The server's private key in PEM. It decrypts only sessions with RSA key exchange.")
  var serverKey: String?

  @Option(help: "The secrets in NSS key log format: CLIENT_RANDOM or RSA lines, or the traffic secrets of TLS 1.3.")
  var keylog: String?

  @Option(
    help: "The level of detail: story, fields or numbers. Default: story for one session, or a summary for several.")
  var depth: Depth?

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @Flag(help: "Include the keys, and the secrets from which they are derived (such as master_secret), in JSON output.")
  var secrets = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    var recording = try RecordingFile(try read(file), path: file)
    for warning in recording.warnings { Console.complain(warning.description) }
    if let keylog {
      let bytes = try read(keylog)
      // A comment may have another encoding; the other lines are ASCII.
      let text = TextEncoding.text(of: bytes) ?? String(decoding: bytes, as: UTF8.self)
      let log = try KeyLog.read(text, path: keylog)
      for warning in log.warnings(path: keylog) { Console.complain(warning.description) }
      recording.add(log)
    }
    if let serverKey { recording.use(try privateKey(serverKey)) }
    let sessions = try chosen(recording.sessions).map { ReplayedSession($0) }
    let view = ReplayView(path: file, sessions: sessions)
    switch format {
    case .json: try output.write(view.json(hasSecrets: secrets).text(pretty: true, columns: RunView.jsonColumns))
    case .text where sessions.count > 1 && depth == nil:
      try output.write(
        view.summary().text(output.style(styling)) + "\n\nTo show one session: trustlab replay \(file) --only ID")
    case .text: try output.write(view.document(depth ?? .story).text(output.style(styling)))
    }
    if keylog == nil, serverKey == nil, sessions.contains(where: { $0.openedCount < $0.protectedCount }) {
      Console.complain("note: pass --keylog or --server-key to decrypt the protected records")
    }
    if sessions.contains(where: { $0.verdict.word != .accepted }) { throw NotAsExpected() }
  }

  private func chosen(_ recordings: [Flow]) throws -> [Flow] {
    guard let only else { return recordings }
    let chosen = recordings.filter { $0.id == only || fnmatch(only, $0.id, 0) == 0 }
    guard chosen.isEmpty else { return chosen }
    throw Diagnostics(
      "no session of '\(file)' matches '\(only)'", hint: Spelling.hint(for: only, among: recordings.map(\.id)))
  }

  private func privateKey(_ path: String) throws -> PrivateKey {
    let text = try text(path)
    do throws(KeyError) {
      return try PrivateKey(pem: text)
    } catch {
      throw Diagnostics(
        "'\(path)' is not a private key: \(error)", hint: "use a PEM file with -----BEGIN PRIVATE KEY-----")
    }
  }

  private func text(_ path: String) throws -> String {
    guard let text = TextEncoding.text(of: try read(path)) else {
      throw Diagnostics(
        "'\(path)' is neither UTF-8 nor UTF-16 text", hint: "use a PEM file with -----BEGIN PRIVATE KEY-----")
    }
    return text
  }

  private func read(_ path: String) throws -> [UInt8] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("no such file: '\(path)'", hint: "pass a capture or a JSON recording")
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: RecordingFile.maximumSize + 1) ?? Data()
    else {
      throw Diagnostics(
        "cannot read '\(path)'", hint: "check that it is a file, and that you have permission to read it")
    }
    guard data.count <= RecordingFile.maximumSize else {
      throw Diagnostics("'\(path)' is larger than 256 MiB", hint: "split the capture with 'editcap'")
    }
    return Array(data)
  }
}
