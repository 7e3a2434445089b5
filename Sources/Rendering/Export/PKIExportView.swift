import Explanation
import PKIX
import Scenarios
import URLLoading

/// The files that were exported from a scenario and their use, as text and as JSON.
public struct PKIExportView: Sendable {
  private let export: PKIExport
  private let folder: String

  /// Creates a view of the files of `export` in `folder`.
  public init(_ export: PKIExport, in folder: String) {
    self.export = export
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
  }

  /// The files and their contents as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "scenario": .string(export.scenario.id), "case": .string(export.scenario.caseName),
      "at": .string(export.date.description), "folder": .string(folder), "passphrase": .string(PKIExport.passphrase),
      "files": .array(
        export.files.map { file in
          ["name": .string(file.name), "content": .string(file.content), "secret": .boolean(file.isSecret)]
        }),
      "servers": .array(
        export.servers.map { server in
          [
            "host": .string(server.host), "certificate": .string(server.certificate), "chain": .string(server.chain),
            "key": server.key.map { .string($0) } ?? .null,
          ]
        }),
      "remarks": .strings(export.remarks),
    ]
  }

  /// The files as text: a table, and commands that use them.
  public func document() -> Document {
    var document = Document()
    let head = "\(export.scenario.name) in \(folder), as of \(export.date.description)"
    document.blocks.append(.heading("\(head)", level: 2))
    document.blocks.append(
      .table(
        header: ["file", "content"],
        rows: export.files.map { [RichText($0.name, .name), RichText($0.content)] }, indent: 2))
    for remark in export.remarks { document.bullet(RichText("!", .warning), "\(remark)", indent: 2) }
    document.blocks.append(.space)
    document.bullet(
      RichText("!", .warning),
      "TrustLab derives the keys from their names, so every copy of TrustLab can generate them. Never trust these "
        + "roots outside of tests. The passphrase of the .p12 files is \(PKIExport.passphrase).")
    for server in export.servers {
      document.heading("\(server.host)")
      for command in commands(server) { document.blocks.append(.command(ShellCommand(command), indent: 2)) }
    }
    return document
  }

  private func commands(_ server: PKIExport.Server) -> [[String]] {
    let roots = export.roots[.system] ?? export.roots[.user]
    let options = [("--roots", export.roots[.system]), ("--user-roots", export.roots[.user])]
    let anchors = options.compactMap { option, file in file.map { "\(option) \(path($0)) " } }
    let os = export.scenario.connections.first.map { $0.client.os.description } ?? "doc"
    let host = quoted(server.host)
    var all = [
      ["trustlab verify \(path(server.chain)) "] + anchors
        + ["--host \(host) ", "--at \(export.date.description) ", "--os \(quoted(os))"],
      ["openssl verify "] + (roots.map { ["-CAfile \(path($0)) "] } ?? [])
        + ["-untrusted \(path(server.chain)) ", "-attime \(export.date.secondsSince1970) "]
        + ["-purpose sslserver ", "\(Self.nameOption(server.host)) \(host) ", path(server.certificate)],
    ]
    if let key = server.key {
      all.append([
        "openssl s_server -accept 4433 -www ", "-cert \(path(server.certificate)) ", "-key \(path(key)) ",
        "-cert_chain \(path(server.chain))",
      ])
    }
    return all
  }

  private static func nameOption(_ host: String) -> String {
    IPAddress(host) == nil ? "-verify_hostname" : "-verify_ip"
  }

  private func path(_ name: String) -> String { quoted(folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)") }

  /// Returns a word in shell syntax.
  private func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "/._-:".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }
}
