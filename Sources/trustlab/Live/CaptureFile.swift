import Captures
import Explanation
import Foundation
import Scenarios

/// A capture file. Packets are written when each connection ends, so the file always contains whole packets and memory
/// use is constant.
struct CaptureFile {
  private let path: String
  private let file: FileHandle
  private var capture = PacketCapture()
  private var hasFailed = false

  /// Creates a capture without packets at `path`.
  ///
  /// - Throws: `Diagnostics` if the file cannot be written.
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

  /// Appends a connection that has ended. A write failure is reported once and immediately, because a server may run
  /// for days.
  mutating func append(_ flow: Flow, from opened: Instant) {
    if hasFailed { return }
    try? capture.append([flow], from: opened)
    do {
      try file.write(contentsOf: Data(capture.take()))
    } catch {
      hasFailed = true
      Console.complain("note: can no longer write to '\(path)': the packets of later connections are lost")
    }
  }

  /// Closes the file.
  ///
  /// - Throws: `Diagnostics` if a write failed.
  func close() throws {
    guard !hasFailed, (try? file.close()) != nil else { throw OutputFile.failure(path) }
  }
}
