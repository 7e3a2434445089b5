import Explanation
import Trust
import URLLoading

/// An app's property list that was read from a file: what it says about App Transport Security, and what is odd in it.
public struct InfoPlistFile: Sendable {
  /// The file as the user named it.
  public let path: String
  /// What of the file was taken for the `NSAppTransportSecurity` dictionary.
  public let origin: AppTransportSecurity.Configuration.Origin
  /// What it says.
  public let configuration: AppTransportSecurity.Configuration
  /// The lines of a file that is text; empty for binary property lists.
  public let lines: [String]
  private let plist: PropertyList

  /// Reads `bytes`, XML or binary, of the file called `path`: an Info.plist, or the `NSAppTransportSecurity`
  /// dictionary itself.
  ///
  /// - Throws: `Diagnostics` when they are no property list, or one of something else than a dictionary.
  public init(_ bytes: [UInt8], path: String) throws(Diagnostics) {
    self.path = path
    do throws(PropertyListError) { plist = try PropertyList(reading: bytes) } catch {
      throw error.diagnostics(inFile: path, bytes: bytes)
    }
    guard plist.dictionary != nil else {
      throw Diagnostics(
        "\(path): an Info.plist is a dictionary, and this is of the type \(plist.typeName)",
        hint: "give the app's Info.plist, or a file with its NSAppTransportSecurity dictionary")
    }
    origin = .init(in: plist)
    configuration = .init(infoPlist: plist)
    lines = Self.lines(bytes)
  }

  /// Text in UTF-16 has zeros in it, and no lines that could be shown as they are.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    if bytes.contains(0) || bytes.starts(with: Array("bplist".utf8)) { return [] }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }

  /// The line at a place, nil where the file has none that can be shown.
  public func line(at place: PropertyList.Place) -> String? {
    lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
  }

  /// All that the lint finds, for these systems (see `AppTransportSecurity.lint`).
  public func findings(systems: [OSVersion] = []) -> [AppTransportSecurity.LintFinding] {
    AppTransportSecurity.lint(plist, systems: systems)
  }

  /// Keys and values that the system passes over in silence.
  public var remarks: [Diagnostic] {
    InfoPlistRemarks(plist, inFile: path, fallback: SourceMark(file: path, line: 1, column: 1)).diagnostics()
  }
}
