import Advice
import ArgumentParser
import Explanation
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats decide` command.
struct AtsDecide: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide whether an app's property list allows a load, and show which key decides.",
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

      Without --plist, TrustLab decides for an app that has no ATS settings. Without --os, it decides for one release \
      of each generation of App Transport Security: iOS 9, 10, 17 and 18.4. For a Mac app, these are macOS 10.11, \
      10.12, 14 and 15.4. For other platforms, they are the releases of the same years. The first release is the one \
      that the app requires (MinimumOSVersion, LSMinimumSystemVersion). For tvOS, watchOS and visionOS, TrustLab \
      assumes the decision of the iOS release of the same year, and reports this assumption. The system 'doc' follows \
      Apple's documentation literally. TrustLab refuses releases that never existed. If a major version still receives \
      updates, such as iOS 18 or 26, it accepts minor releases up to .9.

      In the output, ~ marks a number that is not certain. If no source answers a question, the output has a line 'not \
      certain', and JSON has 'notes'. The output also lists the deciding keys that App Review asks about; 'trustlab \
      ats lint' lists all such keys of the plist.

      For an app (.app or .ipa), the app's own property list decides. The output then shows the decisions for its \
      extensions, watch apps and XPC services. In JSON, the member 'list' names the property list of each. These \
      decisions do not change the exit status.

      With --ndjson, each line of standard input is a request, and each line of standard output is its response, in \
      order. A request looks like this: {"url": "https://api.example/", "os": "iOS 17", "ats": {…}, "loader": \
      "URLSession", "linkedSDK": "iOS 17", "direct": false, "apple": false, "id": 7}. Only url is required. TrustLab \
      ignores other members, unless their names resemble one of these. The response to an invalid line contains an \
      error; the exit status remains 0.

      The exit status is 0 if every load is allowed and no pins block their host. It is 1 if a load is certainly or \
      probably not allowed, and 2 if the plist cannot be read. With --fail-on warning, it is also 1 if a decision is \
      not certain. With --fail-on note, it is also 1 if App Review asks about a deciding key. The options --deny, \
      --allow, --baseline and --suppressions work as in 'trustlab ats lint'. Both commands accept the same \
      suppressions file; here, a suppression can also name the plist that decides the load. Without --linked-sdk, \
      TrustLab uses the plist's DTSDKName, or else the SDK of the system. Since iOS 17, decisions about loads from IP \
      addresses depend on this SDK.
      """)

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist, .app or .ipa, or its NSAppTransportSecurity dictionary; - is standard input.",
      valueName: "file"))
  var plist: String?

  @Option(parsing: .upToNextOption, help: "The URLs that the app loads. TrustLab decides each URL separately.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption,
    help: "The operating systems, such as \"iOS 18.4\" or \"macOS 15\"; 'doc' follows Apple's documentation.")
  var systems: [String] = []

  @Option(help: "The API that the app uses to load URLs: \(Loader.allCases.map(\.rawValue).joined(separator: ", ")).")
  var loader = Loader.urlSession.rawValue

  @Option(
    name: .customLong("linked-sdk"),
    help: ArgumentHelp(
      "The SDK that the app is linked against. With \"iOS 8\", the app has no App Transport Security.", valueName: "os"
    ))
  var linkedSDK: String?

  @Option(
    help: "The output format: text, json or junit; with --plist also sarif (2.1.0), xcode or code-quality (for GitLab)."
  )
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
        "--validator \(validator) has no effect: ats decide does not evaluate certificates",
        hint: "use 'trustlab ats diagnostics URL --scenario FILE --validator \(validator)'")
    }
    try stream.check(among: AppTransportSecurity.Decision.memberNames)
    if stream.ndjson {
      guard plist == nil, url.isEmpty, systems.isEmpty, linkedSDK == nil, output.output == nil else {
        throw Diagnostics(
          "--ndjson reads requests only from standard input, not from options",
          hint: "remove --plist, --url, --os, --linked-sdk and --output, and set them in each request")
      }
      return try RecordStream.answer(members: stream.members) { try AtsRequest($0).answer }
    }
    guard !url.isEmpty else {
      throw Diagnostics("no URL given", hint: "add --url https://api.example/")
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
        "--format \(format.rawValue) requires a property list, which contains the locations of its results",
        hint: "add --plist Info.plist, or use --format junit")
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

  /// Returns the decisions of the bundles in an app, each according to its own property list.
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
      let note =
        systems.isEmpty
        ? " TrustLab checks one release \(first)of each generation of App Transport Security; --os selects others." : ""
      let caption = RichText((settings?.caption ?? AppSettings.none) + note)
      var document = Document([.paragraph(caption, indent: 0), .space])
      document += view.document(width: styling.style.width)
      document += nested.document()
      try output.write(document.text(output.style(styling)))
    }
  }
}

extension AppTransportSecurity.Decision {
  /// The paths of the keys that App Review asks about, in the `NSExceptionDomains` entry that decides. They are the
  /// same as in `AppTransportSecurity.lint`.
  fileprivate var reviewedKeyPaths: [String] {
    guard case .entry(let domain, _) = decider else { return [] }
    return appReview.map { "\(AppTransportSecurity.Key.exceptionDomains.name).\(domain).\($0)" }
  }
}

/// A request of `ats decide --ndjson`.
///
/// `{"ats": {…}, "url": "…", "os": "…", "loader": "…", "linkedSDK": "…", "direct": false, "apple": false}`
struct AtsRequest {
  private let configuration: AppTransportSecurity.Configuration
  private let load: AppTransportSecurity.Load
  /// Messages about settings that the system ignores.
  private let remarks: [String]

  /// The names of all members of a request. The stream itself reads `id`.
  private static let names = ["url", "os", "ats", "loader", "linkedSDK", "direct", "apple", "id"]
  private static let deduced = "remove this member, so that TrustLab deduces it from the URL"

  /// Reads a request. Unknown members, such as a record's own, are ignored unless they resemble a known one.
  ///
  /// - Throws: `Diagnostics` about the first invalid member.
  init(_ json: JSONValue) throws {
    let members = try RequestMembers(json, named: Self.names)
    let settings = json.members?.first {
      [AppTransportSecurity.Key.appTransportSecurity.name, "plist"].contains($0.name) && $0.value.members != nil
    }
    if let settings {
      throw Diagnostics(
        "unknown member '\(settings.name)'", hint: "write the app's settings in 'ats': {\"url\": …, \"ats\": {…}}")
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

  /// The members of the response: the decision, with messages about ignored settings among its notes.
  var answer: [JSONValue.Member] {
    AppTransportSecurity.decide(load, by: configuration).members.map { member in
      guard member.name == "notes", case .array(let notes) = member.value else { return member }
      return .init("notes", .array(notes + remarks.map(JSONValue.string)))
    }
  }

  private static func settings(_ json: JSONValue) throws -> (AppTransportSecurity.Configuration, [String]) {
    guard json != .null else { return (.empty, []) }
    guard json.members != nil, let dictionary = PropertyList(json)?.dictionary else {
      throw Diagnostics("'ats' is not an object", hint: "write the NSAppTransportSecurity dictionary as a JSON object")
    }
    // As with `--plist`, the value may be the whole property list.
    let whole = PropertyList.dictionary(dictionary)
    switch AppTransportSecurity.Configuration.Origin(in: whole) {
    case .infoPlist, .notADictionary: return (.init(infoPlist: whole), remarks(on: whole, dictionary))
    case .dictionaryItself, .absent:
      // The key that requires pins belongs next to the dictionary; inside it, the key has no effect.
      let configuration = AppTransportSecurity.Configuration(dictionary: dictionary, linkedSDK: dictionary.linkedSDK)
      return (configuration, remarks(on: whole, dictionary))
    }
  }

  /// Returns the warnings that `ats lint` would print about the settings.
  private static func remarks(on whole: PropertyList, _ root: PropertyList.Dictionary) -> [String] {
    let settings = root[.appTransportSecurity]?.dictionary ?? root
    if AppTransportSecurity.Configuration.isPlain(settings) { return [] }
    return AppTransportSecurity.passedOver(in: whole).map(\.untagged).map { "\($0.message): \($0.advice)" }
  }
}
