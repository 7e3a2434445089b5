import Explanation

extension AppError {
  /// A situation in which an app sees errors: what happens, on which systems, what is seen and what to do about it.
  ///
  /// Apple documents the codes, not which of them comes when; that is known from reports, each with its confidence.
  public struct Situation: Sendable, Hashable, Identifiable {
    /// A short stable name: `blocked-load`.
    public let id: String
    /// What happens, as a sentence. "Under ATS" is App Transport Security in force for the load; "without ATS" is all
    /// else: an older system, a loader it does not cover, a key that lifts it.
    public let description: String
    /// The systems it is known of.
    public let systems: String
    /// The errors of which the app sees one or more, likeliest first: those of the URL Loading System before codes of TLS.
    public let errors: [AppError]
    /// How well known they are.
    public let confidence: Finding.Confidence
    /// What to do about it, as sentences.
    public let advice: String

    init(
      _ id: String, _ description: String, on systems: String, url: [Int], tls: [Int] = [],
      _ confidence: Finding.Confidence, advice: String
    ) {
      self.id = id
      self.description = description
      self.systems = systems
      errors = url.map { AppError(.url, $0) } + tls.map { AppError(.tls, $0) }
      self.confidence = confidence
      self.advice = advice
    }
  }

  /// The situations in which this error is seen.
  public var situations: [Situation] { Situation.all.filter { $0.errors.contains(self) } }
}
