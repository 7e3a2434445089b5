/// A reason for which the shim ends with a status other than zero.
enum ShimFailure: Error {
  /// The shim does not implement a flag or a feature that the runner requests.
  case unimplemented(String)
  /// The connection or one of the runner's expectations failed. The text is one line for standard error.
  case failed(String)

  /// The exit status, as the runner understands it.
  var status: Int32 {
    switch self {
    case .unimplemented: 89
    case .failed: 1
    }
  }

  var line: String {
    switch self {
    case .unimplemented(let text): "not implemented: \(text)"
    case .failed(let text): text
    }
  }
}
