import Captures
import Explanation
import Foundation
import Scenarios

/// A capture that is written as connections end: the file has whole packets at any time, and nothing of it is kept.
struct CaptureFile {
  private let path: String
  private let file: FileHandle
  private var capture = PacketCapture()
  private var hasFailed = false

  /// A capture without packets, at `path`.
  ///
  /// - Throws: `Diagnostics` when it cannot be written.
  init(_ path: String) throws {
    self.path = path
    do {
      file = try OutputFile.open(path, isSecret: false)
      try file.write(contentsOf: Data(capture.take()))
    } catch let error as Diagnostics {
      throw error
    } catch {
      throw OutputFile.failure(path)
    }
  }

  /// Appends a connection that has ended. Where the file cannot be written any more that is said once, at once: whoever
  /// serves for a day wants to know it before the end.
  mutating func append(_ flow: Flow, from opened: Instant) {
    if hasFailed { return }
    try? capture.append([flow], from: opened)
    do {
      try file.write(contentsOf: Data(capture.take()))
    } catch {
      hasFailed = true
      Console.complain("note: '\(path)' cannot be written any more; the packets of what comes are not kept")
    }
  }

  /// Ends the file.
  ///
  /// - Throws: `Diagnostics` when not all of it could be written.
  func close() throws {
    guard !hasFailed, (try? file.close()) != nil else { throw OutputFile.failure(path) }
  }
}
