import Trust
import URLLoading

extension AppTransportSecurity {
  /// The unexpanded build settings of two lists.
  ///
  /// The entry for `$(HOST)` applies to an unknown host. A placeholder name therefore replaces the setting.
  struct UnexpandedSettings {
    /// The placeholder names of domains, and the settings that they replace.
    private var hosts: [(name: String, written: String)] = []
    /// The settings with unknown values that differ between the lists.
    private(set) var doubts: [UnknownSetting] = []

    init(_ old: Configuration, _ new: Configuration) {
      let (before, after) = (Self.domains(of: old), Self.domains(of: new))
      let listed = Set(before.keys).union(after.keys)
      let top = ["example", "test", "invalid"].first { !listed.contains($0) } ?? "unexpanded"
      for (index, written) in listed.filter(BuildSettings.isUnexpanded).sorted().enumerated() {
        // The text after a setting is the parent domain of the host.
        let rest = written.drop { $0 != "." }
        let isPlain = rest.utf8.count > 1 && !rest.contains { "$(){}".contains($0) }
        hosts.append(("unexpanded-\(index + 1)" + (isPlain ? String(rest) : ".\(top)"), written))
        if before[written] != after[written] { doubts.append(.host(written)) }
      }
      let texts = (Self.texts(in: old.dictionary), Self.texts(in: new.dictionary))
      for (path, text) in texts.0.merging(texts.1, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key })
      where texts.0[path] != texts.1[path] {
        doubts.append(.text(text, path: path))
      }
    }

    /// Returns the settings with placeholder names instead of build settings.
    func named(_ list: Configuration) -> Configuration {
      if hosts.isEmpty { return list }
      let names = Dictionary(hosts.map { ($0.written, $0.name) }) { first, _ in first }
      return list.having(
        .init(
          entries: list.dictionary.entries.map { entry in
            guard ChangedKeys.domainKeys.contains(entry.key), let domains = entry.value.dictionary else { return entry }
            let renamed = domains.entries.map { domain in
              PropertyList.Dictionary.Entry(
                key: names[domain.key] ?? domain.key, value: domain.value, place: domain.place)
            }
            return .init(key: entry.key, value: .dictionary(.init(entries: renamed)), place: entry.place)
          }))
    }

    /// Returns a text for the user, with build settings instead of placeholder names.
    func written(_ text: String) -> String {
      hosts.reversed().reduce(text) { $0.replacing($1.name, with: $1.written) }
    }

    /// Returns the settings of each domain.
    private static func domains(of list: Configuration) -> [String: [String: PropertyList]] {
      var domains: [String: [String: PropertyList]] = [:]
      for key in ChangedKeys.domainKeys {
        for entry in list.dictionary[key]?.dictionary?.entries ?? [] {
          domains[entry.key, default: [:]][key] = entry.value
        }
      }
      return domains
    }

    /// Returns the texts that contain a build setting, by their key paths.
    private static func texts(in dictionary: PropertyList.Dictionary, below path: String = "") -> [String: String] {
      var texts: [String: String] = [:]
      for entry in dictionary.entries { collect(entry.value, path + entry.key, &texts) }
      return texts
    }

    private static func collect(_ value: PropertyList, _ path: String, _ texts: inout [String: String]) {
      switch value {
      case .string(let text): if BuildSettings.isUnexpanded(text) { texts[path] = text }
      case .array(let values):
        for (index, value) in values.enumerated() { collect(value, "\(path)[\(index)]", &texts) }
      case .dictionary(let inner): texts.merge(Self.texts(in: inner, below: path + ".")) { $1 }
      default: break
      }
    }
  }
}
