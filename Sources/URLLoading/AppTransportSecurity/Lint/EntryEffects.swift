import Trust

extension AppTransportSecurity {
  /// What an entry of `NSExceptionDomains` does, found by deciding with it and without it.
  struct EntryEffects {
    enum Effect: Equatable {
      /// It does something of its own.
      case some
      /// Everything is decided as without it, thanks to the entry of that name where there is one.
      case nothing(above: String?)
      /// Without it nothing is demanded; with it these systems block even plain HTTP.
      case strictness(Reason, blocking: [OSVersion])
      /// The entry of that name allows plain HTTP to subdomains, and this one, which does not, stands before it.
      case notMerged(above: String)
    }

    /// Why nothing is demanded without an entry.
    enum Reason: String {
      case arbitraryLoads = "NSAllowsArbitraryLoads is on"
      case webContent = "NSAllowsArbitraryLoadsInWebContent is on"
      case media = "NSAllowsArbitraryLoadsForMedia is on"
      case localName = "the name is local, which is allowed from iOS 10 and macOS 10.12 on"
      case address = "addresses are allowed"

      /// Whose loads it is about; nil for those of all.
      var loader: String? {
        switch self {
        case .webContent: "web views"
        case .media: "AVFoundation"
        case .arbitraryLoads, .localName, .address: nil
        }
      }
    }

    /// What becomes of the loads of one host.
    private struct Outcome: Equatable {
      let os: OSVersion
      let plain: Decision.Verdict
      let requirements: Requirements?
      let isRequired: Bool
      let demandsTransparency: Bool
      let standing: Decision.Standing
      var demandsNothing: Bool { plain == .allowed && requirements == nil }

      static func == (left: Self, right: Self) -> Bool {
        left.plain == right.plain && left.requirements == right.requirements && left.isRequired == right.isRequired
          && left.demandsTransparency == right.demandsTransparency
      }
    }

    private let globals: [PropertyList.Dictionary.Entry]
    private let entries: [String: PropertyList.Dictionary.Entry]
    private let systems: [OSVersion]
    /// One that no switch is for, and those that have one which is on.
    private let loaders: [Loader]

    init(_ configuration: Configuration, _ exceptions: PropertyList.Dictionary, systems: [OSVersion]) {
      globals = configuration.dictionary.entries.filter { ![Key.exceptionDomains, Key.pinnedDomains].contains($0.key) }
      entries = Dictionary(exceptions.entries.map { ($0.key, $0) }) { _, last in last }
      self.systems = systems
      loaders =
        [.urlSession] + (configuration.globals.webContent == true ? [.wkWebView] : [])
        + (configuration.globals.media == true ? [.avFoundation] : [])
    }

    /// What `entry` does; of a range of addresses no one host tells.
    func effect(of entry: PropertyList.Dictionary.Entry) -> Effect {
      if entry.key.contains("/") { return .some }
      let isWide = entry.value.dictionary?[Key.includesSubdomains]?.isOn == true && IPAddress(entry.key) == nil
      let hosts = [entry.key] + (isWide ? ["a.\(entry.key)"] : [])
      let above = ancestors(of: entry.key)
      guard let with = outcomes(hosts, by: above + [entry]), let without = outcomes(hosts, by: above) else {
        return .some
      }
      let wide = above.first { $0.value.dictionary?[Key.includesSubdomains]?.isOn == true }
      if with == without { return .nothing(above: wide?.key) }
      let changed = zip(with, without).filter { $0 != $1 }
      if changed.allSatisfy({ $0.1.demandsNothing }), let reason = changed.first.flatMap({ Self.reason($0.1) }) {
        let blocked = changed.map(\.0).filter { $0.plain == .blocked }
        return .strictness(reason, blocking: systems.filter { os in blocked.contains { $0.os == os } })
      }
      if let wide, entry.value.dictionary?[Key.insecureLoads] == nil,
        with.contains(where: { $0.plain == .blocked }), without.allSatisfy({ $0.plain == .allowed })
      {
        return .notMerged(above: wide.key)
      }
      return .some
    }

    private static func reason(_ outcome: Outcome) -> Reason? {
      switch outcome.standing {
      case .lifted(Key.allowsArbitraryLoads): .arbitraryLoads
      case .lifted(Key.allowsArbitraryLoadsInWebContent): .webContent
      case .lifted(Key.allowsArbitraryLoadsForMedia): .media
      case .notApplicable(.localName): .localName
      case .notApplicable(.address): .address
      case .lifted, .notApplicable, .inForce: nil
      }
    }

    /// The exception of every app that `entry` stands before without being of its name; nil where the app has set it
    /// aside for another that is nearer.
    func builtIn(above entry: PropertyList.Dictionary.Entry) -> String? {
      let names = AppTransportSecurity.builtInDomains.map(\.name).filter { entry.key.hasSuffix(".\($0)") }
      guard let nearest = names.max(by: { $0.count < $1.count }), entries[nearest] == nil else { return nil }
      let nearer = ancestors(of: entry.key).contains { above in
        above.key.count > nearest.count && above.value.dictionary?[Key.includesSubdomains]?.isOn == true
      }
      return nearer ? nil : nearest
    }

    /// The entries of the domains that `name` is below, the nearest first.
    private func ancestors(of name: String) -> [PropertyList.Dictionary.Entry] {
      var found: [PropertyList.Dictionary.Entry] = []
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if let entry = entries[String(rest)] { found.append(entry) }
      }
      return found
    }

    /// What is decided about `hosts` on each system; nil where one of them is no host.
    private func outcomes(_ hosts: [String], by domains: [PropertyList.Dictionary.Entry]) -> [Outcome]? {
      let exceptions = PropertyList.dictionary(.init(entries: domains))
      let settings = globals + [PropertyList.Dictionary.Entry(key: Key.exceptionDomains, value: exceptions)]
      let configuration = Configuration(dictionary: .init(entries: settings))
      var outcomes: [Outcome] = []
      for host in hosts {
        let written = host.contains(":") ? "[\(host)]" : host
        guard let plain = try? LoadURL("http://\(written)/"), let secure = try? LoadURL("https://\(written)/") else {
          return nil
        }
        for os in systems {
          for loader in loaders {
            let decision = decide(Load(secure, os: os, loader: loader), by: configuration)
            outcomes.append(
              Outcome(
                os: os, plain: decide(Load(plain, os: os, loader: loader), by: configuration).verdict,
                requirements: decision.requirements, isRequired: decision.isRequired,
                demandsTransparency: decision.requiresCertificateTransparency, standing: decision.standing))
          }
        }
      }
      return outcomes
    }
  }
}
