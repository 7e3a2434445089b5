import Cryptography
import Simulator

/// Reads what a student typed.
struct AnswerReading {
  private let question: Question

  init(_ question: Question) { self.question = question }

  /// A letter or the option's own words, and how sure the student is.
  func option(_ text: String) throws(AnswerError) -> (place: Int, confidence: Int?) {
    let (answer, confidence) = try confident(text)
    if let named = question.options.firstIndex(where: { $0.text.lowercased() == answer.lowercased() }) {
      return (named, confidence)
    }
    guard answer.count == 1, let letter = answer.first, let place = question.place(of: letter) else {
      throw refused(answer)
    }
    return (place, confidence)
  }

  /// Every letter once.
  func order(_ text: String) throws(AnswerError) -> [Int] {
    let letters = text.filter { $0.isLetter }
    let places = letters.compactMap(question.place)
    guard places.count == letters.count, Set(places).count == question.options.count,
      places.count == question.options.count
    else { throw refused(text) }
    return places
  }

  func number(_ text: String) throws(AnswerError) -> (number: Natural, confidence: Int?) {
    let (answer, confidence) = try confident(text)
    guard let number = Quantities.number(answer), number.bitWidth <= Quantities.mostBits else { throw refused(answer) }
    return (number, confidence)
  }

  /// A letter for each system.
  func row(_ text: String) throws(AnswerError) -> [Verdict.Word] {
    let words: [Character: Verdict.Word] = ["a": .accepted, "r": .refused, "h": .hangs]
    let letters = text.lowercased().filter { $0.isLetter }
    let row = letters.compactMap { words[$0] }
    guard row.count == letters.count, row.count == VersionsQuestion.systems.count else { throw refused(text) }
    return row
  }

  /// The answer, and a last word of 1, 2 or 3 that says how sure the student is.
  private func confident(_ text: String) throws(AnswerError) -> (String, Int?) {
    let words = text.split(separator: " ")
    guard words.count == 2, let last = Int(words[1]) else { return (text, nil) }
    guard (1...3).contains(last) else {
      throw AnswerError("'\(last)' is not how sure one can be", "1 guessed, 2 think so, 3 certain")
    }
    return (String(words[0]), last)
  }

  private func refused(_ answer: String) -> AnswerError {
    AnswerError("'\(answer.prefix(40))' is no answer to this question", question.format)
  }
}
