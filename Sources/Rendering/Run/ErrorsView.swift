import Explanation
import URLLoading

/// The errors that an app may see.
public struct ErrorsView: Sendable {
  private let errors: [AppError]

  /// A view of these errors.
  public init(_ errors: [AppError]) { self.errors = errors }

  /// One line for every error under what iOS would say; nothing where there is none.
  public func document() -> Document {
    var document = Document()
    guard !errors.isEmpty else { return document }
    document.paragraph("iOS would say\(errors.count > 1 ? " one of" : "")", indent: 4)
    for error in errors { document.bullet("·", "\(error.description) \(error.name)", indent: 6) }
    return document
  }
}
