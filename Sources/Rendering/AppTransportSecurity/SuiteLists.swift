import TLS
import Trust
import URLLoading

/// The distinct lists of cipher suites that secure loads offer, named A, B, and so on.
struct SuiteLists {
  private struct List {
    let name: String
    let suites: [CipherSuite]
    var systems: [OSVersion] = []
    var notes: [(note: String, systems: [OSVersion])] = []
  }

  private var lists: [List] = []

  init(_ decisions: [AppTransportSecurity.Decision]) {
    for decision in decisions where decision.load.url.isSecure {
      guard let suites = decision.requirements?.cipherSuites else { continue }
      let index = index(of: suites)
      let system = decision.load.os
      if !lists[index].systems.contains(system) { lists[index].systems.append(system) }
      guard let note = decision.requirements?.confidence.note else { continue }
      if let known = lists[index].notes.firstIndex(where: { $0.note == note }) {
        if !lists[index].notes[known].systems.contains(system) { lists[index].notes[known].systems.append(system) }
      } else {
        lists[index].notes.append((note, [system]))
      }
    }
  }

  private mutating func index(of suites: [CipherSuite]) -> Int {
    if let index = lists.firstIndex(where: { $0.suites == suites }) { return index }
    let letter = UnicodeScalar(UInt8(ascii: "A") + UInt8(min(lists.count, 25)))
    lists.append(List(name: "\(letter)", suites: suites))
    return lists.count - 1
  }

  /// Returns the names of the lists that these loads offer: `A`, or `A (iOS 9) or B (iOS 18.4)`.
  func caption(for decisions: [AppTransportSecurity.Decision]) -> String {
    if decisions.first?.requirements?.cipherSuites == nil { return "the session's default" }
    var names: [(name: String, systems: [OSVersion])] = []
    for decision in decisions {
      guard let list = lists.first(where: { $0.suites == decision.requirements?.cipherSuites }) else { continue }
      let system = decision.load.os
      if let known = names.firstIndex(where: { $0.name == list.name }) {
        if !names[known].systems.contains(system) { names[known].systems.append(system) }
      } else {
        names.append((list.name, [system]))
      }
    }
    if names.count == 1 { return names[0].name }
    return names.map { "\($0.name) (\(DecisionGroup.names($0.systems)))" }.joined(separator: " or ")
  }

  /// The contents of each list, grouped by key exchange.
  var document: Document {
    var document = Document()
    for list in lists {
      document.blocks.append(.space)
      document.paragraph(
        RichText("Suites \(list.name)", .strong)
          + RichText(", \(list.suites.count) on \(DecisionGroup.names(list.systems))"))
      document.facts(Self.facts(list.suites), indent: 4)
      for note in list.notes {
        let systems = note.systems == list.systems ? "" : "\(DecisionGroup.names(note.systems)): "
        document.paragraph("\(systems)\(note.note)", indent: 4)
      }
    }
    return document
  }

  /// Returns the ciphers by the beginning of their suites' names. Beginnings with the same ciphers share a line.
  private static func facts(_ suites: [CipherSuite]) -> [Document.Fact] {
    var ciphers: [(beginning: String, ciphers: String)] = []
    for suite in suites {
      let parts = suite.name.split(separator: "_WITH_", maxSplits: 1)
      let isWhole = parts.count < 2
      let name = suite.name.dropFirst("TLS_".count)
      let (beginning, cipher) =
        isWhole ? ("TLS 1.3", String(name)) : (String(parts[0].dropFirst("TLS_".count)), String(parts[1]))
      if let index = ciphers.firstIndex(where: { $0.beginning == beginning }) {
        ciphers[index].ciphers += ", \(cipher)"
      } else {
        ciphers.append((beginning, cipher))
      }
    }
    var facts: [(beginnings: String, ciphers: String)] = []
    for line in ciphers {
      if let index = facts.firstIndex(where: { $0.ciphers == line.ciphers }) {
        facts[index].beginnings += ", \(line.beginning)"
      } else {
        facts.append((line.beginning, line.ciphers))
      }
    }
    return facts.map { Document.Fact($0.beginnings, "\($0.ciphers)") }
  }
}
