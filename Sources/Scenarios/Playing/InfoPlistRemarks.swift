import Explanation
import URLLoading

/// What is odd in an App Transport Security dictionary, although the system passes over it in silence: a scenario is
/// played as iOS would, but its author should know.
struct InfoPlistRemarks {
  let configuration: AppTransportSecurity.Configuration
  /// Where a key stands, by its path without `NSAppTransportSecurity`.
  let mark: ([String]) -> SourceMark

  func diagnostics() -> [Diagnostic] {
    let dictionary = configuration.dictionary
    let keys = remarks(on: dictionary, path: [], level: .global)
    return keys
      + configuration.problems.map { problem in
        let path = dictionary.path(written: problem.keyPath)
        let key = path.last { !AppTransportSecurity.Key.named($0).isEmpty }
        let more = key.map { "; 'trustlab explain \($0)' says what it takes" } ?? ""
        return Diagnostic(
          "\(problem)", hint: "iOS passes over it in silence\(more)", at: mark(path), severity: .warning)
      }
  }

  private func remarks(
    on dictionary: PropertyList.Dictionary, path: [String], level: AppTransportSecurity.Key.Level
  ) -> [Diagnostic] {
    dictionary.entries.flatMap { entry -> [Diagnostic] in
      let place = path + [entry.key]
      let inner: AppTransportSecurity.Key.Level? =
        path.isEmpty ? ["NSExceptionDomains": .exceptionDomain, "NSPinnedDomains": .pinnedDomain][entry.key] : nil
      // The keys of these two are hosts; what a host is given are keys again.
      if let inner, let hosts = entry.value.dictionary {
        return hosts.entries.flatMap { host in
          remarks(on: host.value.dictionary ?? .init(), path: place + [host.key], level: inner)
        }
      }
      guard let (message, hint) = remark(on: entry.key, level) else { return [] }
      return [Diagnostic(message, hint: hint, at: mark(place), severity: .warning)]
    }
  }

  /// What is odd about a key at its place; nil when nothing is.
  private func remark(
    on name: String, _ level: AppTransportSecurity.Key.Level
  ) -> (message: String, hint: String)? {
    let named = AppTransportSecurity.Key.named(name)
    guard let key = named.first(where: { $0.level == level }) else {
      if let elsewhere = named.first {
        return ("'\(name)' has no effect here", "it belongs in a dictionary of the level '\(elsewhere.level.rawValue)'")
      }
      let known = AppTransportSecurity.Key.catalogue.filter { $0.level == level && $0.standing == .current }.map(\.name)
      return unknown(name, meant: Spelling.nearest(to: name, among: known))
    }
    switch key.standing {
    case .current: return nil
    case .historical(let use): return ("'\(name)' is read by older systems only", "today's name is '\(use)'")
    case .obsolete: return ("'\(name)' is read by no system of today", "'trustlab explain \(name)' says more")
    case .misspelling(let use): return unknown(name, meant: use)
    }
  }

  private func unknown(_ name: String, meant: String?) -> (message: String, hint: String) {
    let passed = "iOS passes over it in silence"
    return ("no system knows the key '\(name)'", meant.map { "did you mean '\($0)'? \(passed)" } ?? passed)
  }
}

extension InfoPlistRemarks {
  /// Remarks on a dictionary that stands in a scenario; what no place is known of is marked with `fallback`.
  init(_ configuration: AppTransportSecurity.Configuration, in scenario: Scenario, fallback: SourceMark) {
    self.init(configuration: configuration) { path in
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

  /// Remarks on a dictionary that was read from the file at `path`.
  init(_ configuration: AppTransportSecurity.Configuration, inFile path: String, fallback: SourceMark) {
    self.init(configuration: configuration) { keys in
      var dictionary: PropertyList.Dictionary? = configuration.dictionary
      var place: PropertyList.Place?
      for key in keys {
        let entry = dictionary?.entries.first { $0.key == key }
        place = entry?.place ?? place
        dictionary = entry?.value.dictionary
      }
      return place.map { SourceMark(file: path, line: $0.line, column: $0.column) } ?? fallback
    }
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
