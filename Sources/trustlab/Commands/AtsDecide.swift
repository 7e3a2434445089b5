import Advice
import ArgumentParser
import Explanation
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab ats decide`
struct AtsDecide: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Say whether an app's plist allows a load on a system, and which key decides.",
    discussion: """
      Examples:
        trustlab ats decide --plist Info.plist --url http://api.example/
        trustlab ats decide --url https://a.example/ http://b.local/ --os "iOS 9" doc
        trustlab ats decide --url http://10.0.0.1/ --loader WKWebView
        trustlab ats decide --plist - --url http://a.example/ < Info.plist
        trustlab ats decide --url http://203.0.113.1/ --os "iOS 17" \\
          --linked-sdk "iOS 16"
        trustlab ats decide --plist New.plist --xcconfig Release.xcconfig \\
          --url https://api.shop.example/
        trustlab ats decide --ndjson < loads.ndjson > results.ndjson
        trustlab ats decide --ndjson --members verdict because < loads.ndjson

      Without --plist the app says nothing. Without --os one system of each era of App Transport Security is asked: \
      iOS 9, iOS 10, iOS 17 and iOS 18.4, of a Mac's app macOS 10.11, 10.12, 14 and 15.4, of others what is as old, \
      from the release on that the app needs (MinimumOSVersion, LSMinimumSystemVersion); tvOS, \
      watchOS and visionOS are taken to decide like the iOS of the same year, which is said. 'doc' is Apple's \
      documentation taken literally. Releases that never were are refused; of lines that go on, as iOS 18 and 26 \
      do, any up to the ninth is taken.

      A number with ~ is not certain: what no source settles stands there as 'not certain', and in JSON as 'notes'. \
      App Review is named for the keys that a load rests on; 'trustlab ats lint' lists those of the whole plist.

      Of an app (.app, .ipa) the app's own list decides. What its extensions, watch apps and XPC services decide by \
      theirs is printed below it, and in JSON with the list as 'list'; the exit status does not depend on it.

      With --ndjson every line of standard input is a request, {"url": "https://api.example/", "os": "iOS 17", \
      "ats": {…}, "loader": "URLSession", "linkedSDK": "iOS 17", "direct": false, "apple": false, \
      "id": 7}, of which only url is needed, and every line of standard output its answer, in order. Other members \
      are left alone, unless they look like one of these. A line that is none is answered with an error; the exit \
      status is 0.

      The exit status is 0 when every load is allowed and no host is shut out by its own pins, 1 when one is not, be that \
      certain or likely, 2 when the plist cannot be read. --fail-on warning also fails on what is not certain, note on keys that App Review asks \
      about; --deny, --allow, --baseline and --suppressions go by rules, as in 'ats lint', which takes the same file of \
      suppressions: in it a load is meant by the plist that it is decided by, too. Without --linked-sdk the SDK is that \
      of DTSDKName in a built app's plist, or the system's own; since iOS 17 it decides about addresses.
      """)

  @Option(
    help: ArgumentHelp(
      "An Info.plist, XML or binary, an .app or .ipa with one, or its NSAppTransportSecurity dictionary; - is standard input.",
      valueName: "file"))
  var plist: String?

  @Option(parsing: .upToNextOption, help: "What the app loads; several are decided one by one.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption, help: "Systems, such as \"iOS 18.4\", \"macOS 15\" or doc.")
  var systems: [String] = []

  @Option(help: "What the app loads with: \(Loader.allCases.map(\.rawValue).joined(separator: ", ")).")
  var loader = Loader.urlSession.rawValue

  @Option(
    name: .customLong("linked-sdk"),
    help: ArgumentHelp(
      "The SDK the app is linked against, such as \"iOS 8\", which knows no such rules.", valueName: "os"))
  var linkedSDK: String?

  @Option(help: "text, json, junit; with --plist also sarif (2.1.0), xcode or code-quality (GitLab's).")
  var format = AtsLint.Format.text

  @OptionGroup var stream: RecordStreamOptions

  @Option(help: ArgumentHelp(visibility: .hidden))
  var validator: String?

  @OptionGroup var gate: GateOptions
  @OptionGroup var build: BuildSettingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if let validator {
      throw Diagnostics(
        "a validator such as '\(validator)' has no place here: no certificate is looked at",
        hint: "'trustlab ats diagnostics URL --scenario FILE --validator \(validator)' asks a server")
    }
    try stream.check(among: AppTransportSecurity.Decision.memberNames)
    if stream.ndjson {
      guard plist == nil, url.isEmpty, systems.isEmpty, linkedSDK == nil, output.output == nil else {
        throw Diagnostics(
          "--ndjson takes its requests from standard input",
          hint: "leave --plist, --url, --os and --output out, and say it in each request")
      }
      return try RecordStream.answer(members: stream.members) { try AtsRequest($0).answer }
    }
    guard !url.isEmpty else {
      throw Diagnostics("which load?", hint: "name it: --url https://api.example/")
    }
    let urls = try url.map(LoadURL.written)
    let loader = try Loader.named(loader)
    let settings = try plist.map { try AppSettings($0, settings: try build.settings()) }
    let usual = OSVersion.eras(of: settings?.file)
    let systems = try systems.isEmpty ? usual : systems.map(OSVersion.deciding)
    let sdk = try linkedSDK.map(OSVersion.deciding)
    let list = settings.map { RepositoryPaths().known($0.file.path) }
    var gate = try gate.gate(of: "ats decide", rules: DecisionsView.rules, decidingBy: list)
    if settings == nil, [.sarif, .xcode, .codeQuality].contains(format) {
      throw Diagnostics(
        "--format \(format.rawValue) points into a property list, and there is none",
        hint: "add --plist Info.plist, or take --format junit")
    }
    let decisions = urls.flatMap { url in
      systems.map { system in
        AppTransportSecurity.decide(
          .init(url, os: system, loader: loader, linkedSDK: sdk), by: settings.configuration)
      }
    }
    for decision in decisions {
      gate.looks(at: Self.place(decision))
      for (rule, severity) in decision.objections { _ = gate.shows(Self.item(decision, rule), severity) }
    }
    try show(decisions, try bundles(of: urls, loader, sdk), settings, gate)
    try gate.close()
  }

  /// What the bundles in an app decide, each by its own list.
  private func bundles(
    of urls: [LoadURL], _ loader: Loader, _ sdk: OSVersion?
  ) throws -> [BundleDecisionsView.Bundle] {
    guard let plist else { return [] }
    let build = try build.settings()
    return try AppBundle.nestedLists(in: plist).map { path in
      let file = try InfoPlistFile(try AppSettings.bytes(path, isNamed: false), path: path, settings: build)
      let asked = try systems.isEmpty ? OSVersion.eras(of: file) : systems.map(OSVersion.deciding)
      let decisions = urls.flatMap { url in
        asked.map { system in
          AppTransportSecurity.decide(
            .init(url, os: system, loader: loader, linkedSDK: sdk), by: file.configuration)
        }
      }
      return .init(path, decisions)
    }
  }

  private static func item(_ decision: AppTransportSecurity.Decision, _ rule: Rule) -> Gate.Item {
    let keys =
      switch rule {
      case .plistAppReview: decision.reviewedKeyPaths
      case .pinMismatch: decision.pinKeyPaths
      default: [String]()
      }
    return .init(file: place(decision), rule: rule.id, key: decision.decidedBy, keys: keys)
  }

  private static func place(_ decision: AppTransportSecurity.Decision) -> String {
    "\(decision.load.url) on \(decision.load.os)"
  }

  private func show(
    _ decisions: [AppTransportSecurity.Decision], _ bundles: [BundleDecisionsView.Bundle], _ settings: AppSettings?,
    _ gate: Gate
  ) throws {
    for remark in settings?.file.remarks ?? [] { Console.complain(remark.description) }
    let view = DecisionsView(decisions)
    let nested = BundleDecisionsView(bundles, own: decisions)
    let report = settings.map { settings in
      view.report(on: settings.file) { decision, rule, severity in
        let item = Self.item(decision, rule)
        return gate.hides(item) ? nil : gate.fails(item, severity)
      }
    }
    let named = report?.naming(RepositoryPaths().named)
    switch format {
    case .json: try output.write(JSONValue.array(decisions.map(\.json) + nested.json()).text(pretty: true))
    case .xcode: try output.write(Console.escaped(report?.xcode ?? ""))
    case .sarif: try output.write((named?.sarif() ?? .null).text(pretty: true))
    case .codeQuality: try output.write((named?.codeQuality() ?? .null).text(pretty: true))
    case .junit:
      try output.write(view.junit { gate.fails(Self.item($0, $1), $2) })
    case .text:
      let first = settings?.file.firstRelease.map { "from \($0) on " } ?? ""
      let note = systems.isEmpty ? " Of the systems \(first)one of each era is asked; --os names others." : ""
      let caption = RichText((settings?.caption ?? AppSettings.none) + note)
      var document = Document([.paragraph(caption, indent: 0), .space])
      document += view.document(width: styling.style.width)
      document += nested.document()
      try output.write(document.text(output.style(styling)))
    }
  }
}

extension AppTransportSecurity.Decision {
  /// The paths of the keys that App Review asks about, as `AppTransportSecurity.lint` has them, of an entry of
  /// `NSExceptionDomains`.
  fileprivate var reviewedKeyPaths: [String] {
    guard case .entry(let domain, _) = decider else { return [] }
    return appReview.map { "\(AppTransportSecurity.Key.exceptionDomains.name).\(domain).\($0)" }
  }
}

/// A request of `ats decide --ndjson`: `{"ats": {…}, "url": "…", "os": "…", "loader": "…", "linkedSDK": "…",
/// "direct": false, "apple": false}`.
struct AtsRequest {
  private let configuration: AppTransportSecurity.Configuration
  private let load: AppTransportSecurity.Load
  /// What the system passes over in the settings, in words.
  private let remarks: [String]

  /// The members that are read; `id` is read by the stream.
  private static let names = ["url", "os", "ats", "loader", "linkedSDK", "direct", "apple", "id"]
  private static let deduced = "leave it out to tell it from the URL"

  /// Reads the members it knows; others, such as a record's own, are passed over unless they look like one of them.
  ///
  /// - Throws: `Diagnostics` about the first one that is wrong.
  init(_ json: JSONValue) throws {
    let members = try RequestMembers(json, named: Self.names)
    let settings = json.members?.first {
      [AppTransportSecurity.Key.appTransportSecurity.name, "plist"].contains($0.name) && $0.value.members != nil
    }
    if let settings {
      throw Diagnostics(
        "unknown member '\(settings.name)'", hint: "the app's settings stand in 'ats': {\"url\": …, \"ats\": {…}}")
    }
    guard let url = try members.text("url") else {
      throw Diagnostics("'url' is missing", hint: "write {\"url\": \"https://api.example/\"}")
    }
    let os = try members.text("os").map(OSVersion.deciding) ?? OSVersion.latest
    let loader = try members.text("loader").map(Loader.named) ?? .urlSession
    load = .init(
      try LoadURL.written(url), os: os, loader: loader, isDirect: try members.flag("direct", without: Self.deduced),
      linkedSDK: try members.text("linkedSDK").map(OSVersion.deciding),
      isApplesOwn: try members.flag("apple", without: Self.deduced) ?? false)
    (configuration, remarks) = try Self.settings(json["ats"] ?? .null)
  }

  /// The decision, with remarks on the settings among its notes.
  var answer: [JSONValue.Member] {
    AppTransportSecurity.decide(load, by: configuration).members.map { member in
      guard member.name == "notes", case .array(let notes) = member.value else { return member }
      return .init("notes", .array(notes + remarks.map(JSONValue.string)))
    }
  }

  private static func settings(_ json: JSONValue) throws -> (AppTransportSecurity.Configuration, [String]) {
    guard json != .null else { return (.empty, []) }
    guard json.members != nil, let dictionary = PropertyList(json)?.dictionary else {
      throw Diagnostics("'ats' is no object", hint: "write the NSAppTransportSecurity dictionary as JSON")
    }
    // As with --plist, what it stands in may be there too.
    let whole = PropertyList.dictionary(dictionary)
    switch AppTransportSecurity.Configuration.Origin(in: whole) {
    case .infoPlist, .notADictionary: return (.init(infoPlist: whole), remarks(on: whole, dictionary))
    case .dictionaryItself, .absent:
      // A demand for pins stands beside the dictionary, and has no effect in it.
      let configuration = AppTransportSecurity.Configuration(dictionary: dictionary, linkedSDK: dictionary.linkedSDK)
      return (configuration, remarks(on: whole, dictionary))
    }
  }

  /// What a plist would be warned of.
  private static func remarks(on whole: PropertyList, _ root: PropertyList.Dictionary) -> [String] {
    let settings = root[.appTransportSecurity]?.dictionary ?? root
    if AppTransportSecurity.Configuration.isPlain(settings) { return [] }
    return AppTransportSecurity.passedOver(in: whole).map(\.untagged).map { "\($0.message): \($0.advice)" }
  }
}
