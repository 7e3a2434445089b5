import URLLoading

/// An app's property list that was read from a file: what it says about App Transport Security, and what is odd in it.
public struct InfoPlistFile: Sendable {
  /// What of the file was taken for the `NSAppTransportSecurity` dictionary.
  public let origin: AppTransportSecurity.Configuration.Origin
  /// What it says.
  public let configuration: AppTransportSecurity.Configuration
  /// Keys and values that the system passes over in silence.
  public let remarks: [Diagnostic]

  /// Reads `bytes`, XML or binary, of the file called `path`: an Info.plist, or the `NSAppTransportSecurity`
  /// dictionary itself.
  ///
  /// - Throws: `Diagnostics` when they are no property list, or one of something else than a dictionary.
  public init(_ bytes: [UInt8], path: String) throws(Diagnostics) {
    let plist: PropertyList
    do throws(PropertyListError) { plist = try PropertyList(reading: bytes) } catch {
      throw error.diagnostics(inFile: path, bytes: bytes)
    }
    guard let root = plist.dictionary else {
      throw Diagnostics(
        "\(path): an Info.plist is a dictionary, and this is of the type \(plist.typeName)",
        hint: "give the app's Info.plist, or a file with its NSAppTransportSecurity dictionary")
    }
    origin = .init(in: plist)
    configuration = .init(infoPlist: plist)
    let top = SourceMark(file: path, line: 1, column: 1)
    let found = InfoPlistRemarks(configuration, inFile: path, fallback: top).diagnostics()
    remarks = (origin == .absent ? Self.misspelt(in: root, path: path, top) : []) + found
  }

  /// Keys at the top of a file that look like what was meant.
  private static func misspelt(
    in root: PropertyList.Dictionary, path: String, _ top: SourceMark
  ) -> [Diagnostic] {
    let known = AppTransportSecurity.Key.catalogue.filter { [.root, .global].contains($0.level) }.map(\.name)
    return root.entries.compactMap { entry in
      guard let meant = Spelling.nearest(to: entry.key, among: known, within: 3), meant != entry.key else {
        return nil
      }
      let mark = entry.place.map { SourceMark(file: path, line: $0.line, column: $0.column) } ?? top
      return Diagnostic(
        "no system knows the key '\(entry.key)'", hint: "did you mean '\(meant)'? iOS passes over it in silence",
        at: mark, severity: .warning)
    }
  }
}
