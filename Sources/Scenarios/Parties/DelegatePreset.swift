import Explanation
import URLLoading

/// A delegate that has a name: a listing of a document that the lessons come from, or a usual one.
public struct DelegatePreset: Sendable, Hashable {
  /// Its name in scenarios.
  public let name: String
  /// What it does, in a few words.
  public let meaning: String
  /// Where it comes from: `seed 000, lines 72 to 81`; empty for none in particular.
  public let source: String
  /// Its table, in the words of scenarios.
  public let table: String
  /// What is wrong with its code wherever it is used, by the ids of rules.
  public let remarks: [String]

  /// Every delegate that has a name.
  public static let all: [DelegatePreset] = [
    .init(
      "default", "there is none, and the system's word stands", table: "rules: [{ answer: performDefaultHandling }]"),
    .init(
      "accept-all", "it hands in a credential for whatever trust it is given",
      table: """
        rules:
          - { when: { method: ServerTrust }, answer: { useCredential: trust } }
          - answer: performDefaultHandling
        """),
    .init(
      "accept-all-twice",
      "the pair of methods that ignores certificate validation, answers twice, and keeps nothing in the storage",
      "seed 000, lines 59 to 76",
      table: """
        methods: [canAuthenticate, didReceive]
        shouldUseCredentialStorage: false
        canAuthenticate: [ServerTrust]
        rules:
          - when: { method: ServerTrust }
            answer: [{ useCredential: trust }, continueWithoutCredential]
        """, remarks: ["application.never-returns"]),
    .init(
      "five-steps", "it evaluates the trust, whatever is asked, and cancels where the result is no success",
      "seed 000, line 127",
      table: """
        methods: [willSendRequest]
        rules:
          - if: { results: [Proceed, Unspecified], status: checked }
            answer: { useCredential: trust }
            else: cancel
        """),
    .init(
      "own-anchors", "the five steps with anchors of the app's own, and no others", "seed 000, line 131",
      table: """
        methods: [willSendRequest]
        rules:
          - trust: { evaluates: true }
            if: { results: [Proceed, Unspecified], status: checked }
            answer: { useCredential: trust }
            else: cancel
        """),
    .init(
      "seed-003-mode-1", "it compares whole protection spaces with a list, and answers only what is not on it",
      "seed 003, line 12",
      table: """
        methods: [willSendRequest]
        rules:
          - when:
              space:
                whole: true
                notIn:
                  - { host: $HOST, port: 443, protocol: https, realm: mobile, method: Default }
                  - { host: $HOST, port: 443, protocol: https, realm: mobile, method: ClientCertificate }
            answer: cancel
        """),
    .init(
      "seed-003-mode-2", "it compares host, port and protocol, and answers only where they differ",
      "seed 003, line 14",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { space: { notIn: [{ host: $HOST, port: 443, protocol: https }] } }
            answer: cancel
        """),
    .init(
      "seed-003-basic", "it answers Basic once, cancels the second time, and answers nothing else", "seed 003, line 18",
      table: """
        methods: [willSendRequest]
        rules:
          - { when: { method: Basic, failures: 0 }, answer: { useCredential: account } }
          - { when: { method: Basic }, answer: cancel }
        """),
    .init(
      "seed-003-dispatcher",
      "it takes the stored identity or the account, and always goes on without a credential in its last line",
      "seed 003, line 30",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { method: ClientCertificate, registered: true, failures: 0 }
            answer:
              - useCredential: stored
                from: { host: $HOST, port: 443, protocol: https, realm: mobileApp, method: ClientCertificate }
              - continueWithoutCredential
          - when: { method: ClientCertificate, registered: true }
            answer: [cancel, continueWithoutCredential]
          - when: { method: Basic, failures: 0 }
            answer: [{ useCredential: account }, continueWithoutCredential]
          - when: { method: Basic }
            answer: [cancel, continueWithoutCredential]
          - answer: continueWithoutCredential
        """),
    .init(
      "seed-004", "it evaluates the challenge's trust up to five failures, and answers nothing else",
      "seed 004, lines 87 to 120, as it was meant",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { method: ServerTrust, failures: { below: 5 } }
            if: { results: [Proceed, Unspecified], status: ignored }
            answer: { useCredential: trust }
            else: [cancel, cancelConnection]
        """),
    .init(
      "seed-004-own-trust", "it evaluates a trust of its own that was never set, and ignores the status",
      "seed 004, lines 87 to 120, as it is written",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { method: ServerTrust, failures: { below: 5 } }
            if: { results: [Proceed, Unspecified], status: ignored, of: nil }
            answer: { useCredential: trust }
            else: [cancel, cancelConnection]
        """),
    .init("cancel-all", "it cancels whatever is asked", table: "rules: [{ answer: cancel }]"),
    .init("silent", "it answers nothing", table: "rules: [{ answer: none }]"),
  ]

  /// The names.
  public static let names = all.map(\.name)

  /// The delegate of this name; nil for none.
  public init?(named name: String) {
    guard let preset = Self.all.first(where: { $0.name == name }) else { return nil }
    self = preset
  }

  private init(
    _ name: String, _ meaning: String, _ source: String = "", table: String, remarks: [String] = []
  ) {
    self.name = name
    self.meaning = meaning
    self.source = source
    self.table = table
    self.remarks = remarks
  }

  /// What its table says.
  public var description: DelegateDescription {
    var delegate = DelegateDescription()
    if let document = try? YAMLDocument(Array(table.utf8), file: "") {
      NodeReader(node: document.root, path: name, sink: DiagnosticSink(lines: [:])).read(
        DelegateDescription.section, into: &delegate)
    }
    delegate.preset = self
    return delegate
  }
}
