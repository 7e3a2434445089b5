import Simulator

/// Every key of the scenario language in one table. The strict reader, `list words`, `describe` and the JSON Schema use
/// its entries.
public enum Vocabulary {
  /// All sections. The section of the file itself is the first.
  public static let sections: [WordSection] =
    [
      ScenarioParts.section.words, Scenario.Dispute.section.words,
      CertificateDescription.section.words,
      PublishedCRL.section.words, DistrustDescription.section.words,
      NameConstraintsDescription.section.words, SCTsDescription.section.words, LogDescription.section.words,
      ServerDescription.section.words,
      StapleDescription.section.words, PreSharedKeyDescription.section.words, EarlyDataDescription.section.words,
      ValidationProfileDescription.section.words,
      IdentityFileDescription.section.words, AuthenticationDescription.section.words,
      DigestDescription.section.words,
      AnswerDescription.section.words,
      ClientDescription.section.words, ProxyDescription.section.words, ServerTrustDescription.section.words,
      TrustExceptionsDescription.section.words, AttackersDescription.section.words, RequestDescription.section.words,
      ConnectionParts.section.words,
      DateParts.section.words, Expectation.section.words, Expectation.serverSection.words,
      Expectation.goalsSection.words, Expectation.knowledgeSection.words, RowParts.section.words,
    ] + DelegateDescription.sections + LibraryDescription.sections + NetworkVerb.sections + CalculationParts.sections
}

extension Vocabulary {
  /// Returns the root key that contains the keyword `word`; nil if there is none or its map has names.
  static func home(of word: String) -> String? {
    ScenarioParts.section.words.words.first { root in
      guard case .section(let name) = root.shape else { return false }
      return sections.first { $0.name == name }?.words.contains { $0.name == word } == true
    }?.name
  }
}
