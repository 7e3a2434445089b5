import Explanation
import URLLoading

/// A named delegate: a listing from the seed documents of the lessons, or a common implementation.
public struct DelegatePreset: Sendable, Hashable {
  /// The name of the delegate in scenarios.
  public let name: String
  /// The behaviour of the delegate, in a few words.
  public let meaning: String
  /// The source of the delegate: `seed 000, lines 72 to 81`; empty for none.
  public let source: String
  /// The table of the delegate, in scenario notation.
  public let table: String
  /// The rules that the delegate's code violates in every use.
  public let remarks: [String]

  /// Every named delegate.
  public static let all: [DelegatePreset] = [
    .init(
      "default", "the app has no delegate, and the system decides", table: "rules: [{ answer: performDefaultHandling }]"
    ),
    .init(
      "accept-all", "it answers with a credential for any server trust",
      table: """
        rules:
          - { when: { method: ServerTrust }, answer: { useCredential: trust } }
          - answer: performDefaultHandling
        """),
    .init(
      "accept-all-twice",
      "it ignores certificate validation, answers twice, and does not use the credential storage",
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
      "five-steps", "it evaluates the trust for every challenge, and cancels if the evaluation fails",
      "seed 000, line 127",
      table: """
        methods: [willSendRequest]
        rules:
          - if: { results: [Proceed, Unspecified], status: checked }
            answer: { useCredential: trust }
            else: cancel
        """),
    .init(
      "own-anchors", "it follows the same steps as five-steps, but trusts only the app's own anchors",
      "seed 000, line 131",
      table: """
        methods: [willSendRequest]
        rules:
          - trust: { evaluates: true }
            if: { results: [Proceed, Unspecified], status: checked }
            answer: { useCredential: trust }
            else: cancel
        """),
    .init(
      "seed-003-mode-1",
      "it compares whole protection spaces with a list, and answers only for spaces that are not in the list",
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
      "seed-003-mode-2", "it compares host, port and protocol, and answers only if they differ",
      "seed 003, line 14",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { space: { notIn: [{ host: $HOST, port: 443, protocol: https }] } }
            answer: cancel
        """),
    .init(
      "seed-003-basic",
      "it answers the first Basic challenge, cancels later ones, and does not answer other challenges",
      "seed 003, line 18",
      table: """
        methods: [willSendRequest]
        rules:
          - { when: { method: Basic, failures: 0 }, answer: { useCredential: account } }
          - { when: { method: Basic }, answer: cancel }
        """),
    .init(
      "seed-003-dispatcher",
      "it uses the stored identity or the account, and its last line always continues without a credential",
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
      "seed-004",
      "it evaluates the challenge's trust until there are five failures, and does not answer other challenges",
      "seed 004, lines 87 to 120, as intended",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { method: ServerTrust, failures: { below: 5 } }
            if: { results: [Proceed, Unspecified], status: ignored }
            answer: { useCredential: trust }
            else: [cancel, cancelConnection]
        """),
    .init(
      "seed-004-own-trust", "it evaluates its own trust variable, which was never set, and ignores the status",
      "seed 004, lines 87 to 120, as written",
      table: """
        methods: [willSendRequest]
        rules:
          - when: { method: ServerTrust, failures: { below: 5 } }
            if: { results: [Proceed, Unspecified], status: ignored, of: nil }
            answer: { useCredential: trust }
            else: [cancel, cancelConnection]
        """),
    .init("cancel-all", "it cancels every challenge", table: "rules: [{ answer: cancel }]"),
    .init("silent", "it answers nothing", table: "rules: [{ answer: none }]"),
  ]

  /// The names of all presets.
  public static let names = all.map(\.name)

  /// Creates the delegate with this name; nil if there is none.
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

  /// The delegate as its table describes it.
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
