import Explanation
import URLLoading

/// What is odd in an App Transport Security dictionary, although the system passes over it in silence: a scenario is
/// played as iOS would, but its author should know.
struct InfoPlistRemarks {
  let scenario: Scenario
  let configuration: AppTransportSecurity.Configuration
  /// The file the dictionary was read from; nil when it stands in the scenario.
  let file: FileReference?
  /// Where to point when the place of a key is not known.
  let fallback: SourceMark

  func diagnostics() -> [Diagnostic] {
    let dictionary = configuration.dictionary
    let unknown = unknownKeys(in: dictionary, path: [], known: AppTransportSecurity.Key.catalogue.map(\.name))
    return unknown
      + configuration.problems.map { problem in
        let path = dictionary.path(written: problem.keyPath)
        return Diagnostic(
          "\(problem)", hint: "iOS passes over it in silence; 'trustlab explain \(path.last ?? "")' says what it takes",
          at: mark(path), severity: .warning)
      }
  }

  private func unknownKeys(in dictionary: PropertyList.Dictionary, path: [String], known: [String]) -> [Diagnostic] {
    dictionary.entries.flatMap { entry -> [Diagnostic] in
      let place = path + [entry.key]
      // The keys of these two are hosts; what a host is given are keys again.
      if path.isEmpty, let hosts = entry.value.dictionary,
        ["NSExceptionDomains", "NSPinnedDomains"].contains(entry.key)
      {
        return hosts.entries.flatMap { host in
          unknownKeys(in: host.value.dictionary ?? .init(), path: place + [host.key], known: known)
        }
      }
      guard !known.contains(entry.key) else { return [] }
      return [
        Diagnostic(
          "no system knows the key '\(entry.key)'",
          hint: Spelling.nearest(to: entry.key, among: known)
            .map { "did you mean '\($0)'? iOS passes over the other in silence" } ?? "iOS passes over it in silence",
          at: mark(place), severity: .warning)
      ]
    }
  }

  private func mark(_ path: [String]) -> SourceMark {
    if let file {
      var dictionary: PropertyList.Dictionary? = configuration.dictionary
      var place: PropertyList.Place?
      for key in path {
        let entry = dictionary?.entries.first { $0.key == key }
        place = entry?.place ?? place
        dictionary = entry?.value.dictionary
      }
      return place.map { SourceMark(file: file.path, line: $0.line, column: $0.column) } ?? file.mark
    }
    var node = scenario.tree["client"]?["infoPlist"]
    var mark = fallback
    for key in path {
      guard let entry = node?.entries?.first(where: { $0.key == key }) else { break }
      mark = entry.mark
      node = entry.value
    }
    return mark
  }
}

extension PropertyList.Dictionary {
  /// The keys of a dotted key path whose keys may have dots themselves.
  fileprivate func path(written text: String) -> [String] {
    for entry in entries where text == entry.key || text.hasPrefix("\(entry.key).") {
      let rest = String(text.dropFirst(entry.key.count + 1))
      return [entry.key] + (rest.isEmpty ? [] : entry.value.dictionary?.path(written: rest) ?? [rest])
    }
    return text.isEmpty ? [] : [text]
  }
}
