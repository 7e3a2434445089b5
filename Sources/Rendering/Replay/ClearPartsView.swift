import Explanation
import Simulator
import TLS

/// The parts of a recorded session of TLS 1.3 that everyone on the path sees.
struct ClearPartsView {
  private let parts: ClearParts

  init(_ session: ReplayedSession) { parts = session.clearParts }

  /// The parts in the clear, and those that are encrypted, as text.
  var document: Document {
    var document = Document()
    document.heading("Visible to everyone on the path, without the key log")
    document.facts(clear.map { Document.Fact($0.name, "\($0.value)") })
    document.heading("Encrypted")
    document.paragraph(
      "The certificates of both sides, the server's other extensions (such as the selected application protocol), a "
        + "request for a client certificate, tickets, application data and the reasons of alerts.")
    return document
  }

  private var clear: [(name: String, value: String)] {
    let extensions = parts.offer?.extensions ?? []
    var facts = [("server name", extensions.serverName ?? "none")]
    if let protocols = extensions.applicationProtocols {
      facts.append(("protocols offered", protocols.map(\.description).joined(separator: ", ")))
    }
    if let versions = extensions.supportedVersions {
      facts.append(("versions offered", versions.map(\.description).joined(separator: ", ")))
    }
    if let shares = extensions.keyShares {
      facts.append(("key shares", shares.isEmpty ? "none" : shares.map(\.group.description).joined(separator: ", ")))
    }
    if let psks = extensions.preSharedKeys {
      let sizes = psks.identities.map { "\($0.identity.count) bytes" }.joined(separator: ", ")
      facts.append(("key identities", "\(sizes); the same identity in two connections links them"))
    }
    if extensions.contains(.earlyData) { facts.append(("early data", "offered")) }
    if parts.hasRetry { facts.append(("HelloRetryRequest", "the server requested another key share")) }
    if let answer = parts.answer { facts.append(("selected", selection(answer))) }
    for side in Side.allCases {
      let records = parts.records[side]
      facts.append(("\(side)'s records", "\(records?.count ?? 0) protected, \(records?.byteCount ?? 0) bytes"))
    }
    return facts
  }

  private func selection(_ answer: ServerHello) -> String {
    let group = answer.extensions?.keyShare.map { $0.group.description }
    let psk = answer.extensions?.selectedIdentity.map { "pre-shared key \($0)" }
    return ([answer.selectedVersion.description, answer.cipherSuite.name] + [group, psk].compactMap(\.self))
      .joined(separator: ", ")
  }
}
