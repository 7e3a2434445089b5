import Advice
import Captures
import Cryptography
import Explanation
import Foundation
import Rendering
import Scenarios
import Simulator
import Site
import TLS
import Trust
import URLLoading
import Web

/// Responds to a request from a page with a file of the site, or with a result as JSON.
///
/// It keeps nothing between requests, so any number of pages can be open.
struct WebEngine: Sendable {
  private let files: [String: ScenarioFile]
  private let site: ServedSite
  private let workbench = Workbench()

  init(files: [ScenarioFile], site: ServedSite) {
    self.files = Dictionary(files.map { ($0.id, $0) }) { first, _ in first }
    self.site = site
  }

  /// A request to the engine: its path and its work.
  private typealias Operation = @Sendable (WebEngine, JSONValue) throws -> JSONValue

  private static let operations: [String: Operation] = [
    "/engine/choices": { _, _ in choices },
    "/engine/source": { try $0.source($1) },
    "/engine/run": { try $0.run($1) },
    "/engine/complete": { _, request in try complete(request) },
    "/engine/plist": { _, request in try checkPropertyList(request) },
    "/engine/chain": { _, request in try checkChain(request) },
    "/engine/recording": { try $0.open($1) },
  ]

  /// The response to `request`.
  func response(to request: WebRequest) -> WebResponse {
    guard let operation = Self.operations[request.path] else { return page(at: request.path) }
    guard request.method == "POST" else { return WebResponse(405, "Send the request with POST.") }
    return Self.json { try operation(self, try Self.members(of: request.body)) }
  }

  private func page(at path: String) -> WebResponse {
    let name = path.hasSuffix("/") ? path.dropFirst() + "index.html" : path.dropFirst()
    do throws(Diagnostics) {
      guard let file = try site.file(at: String(name)) else { return WebResponse(404, "There is no page '\(path)'.") }
      return WebResponse(type: Self.type(of: file.path), file.bytes)
    } catch {
      return WebResponse(500, error.description)
    }
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  private static func type(of path: String) -> String {
    types[String(path.split(separator: ".").last ?? "")] ?? "application/octet-stream"
  }

  /// The result of `work`, or its errors with their places: `{diagnostics: [{severity, message, hint, line, column}]}`.
  private static func json(_ work: () throws -> JSONValue) -> WebResponse {
    let result: JSONValue
    do { result = try work() } catch let error as Diagnostics {
      result = ["diagnostics": .array(error.all.map(json))]
    } catch {
      result = ["diagnostics": [["severity": "error", "message": .string("\(error)"), "hint": ""]]]
    }
    var bytes: [UInt8] = []
    result.write(to: &bytes)
    return WebResponse(type: "application/json", bytes)
  }

  private static func json(_ diagnostic: Diagnostic) -> JSONValue {
    let place = diagnostic.mark.map {
      [JSONValue.Member("line", .integer($0.line)), .init("column", .integer($0.column))]
    }
    return .object(
      [
        .init("severity", .string(diagnostic.severity.rawValue)), .init("message", .string(diagnostic.message)),
        .init("hint", .string(diagnostic.hint)),
      ] + (place ?? []))
  }

  private static func members(of body: [UInt8]) throws -> JSONValue {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(reading: body) } catch {
      throw Diagnostics("the request is not JSON at byte \(error.offset): \(error.message)", hint: "reload the page")
    }
    guard json.members != nil else { throw Diagnostics("the request is not a JSON object", hint: "reload the page") }
    return json
  }

  /// The words of the pages' menus.
  private static let choices: JSONValue = [
    "validators": .array(
      Mutant.all.map { mutant in
        ["name": .string(mutant.name), "place": .string(mutant.placeText), "meaning": .string(mutant.meaning)]
      }),
    "profiles": .strings(TrustProfile.allCases.map(\.rawValue)),
    "systems": .strings(OSVersion.eras.map(\.description)), "latest": .string(OSVersion.latest.description),
  ]
}

// MARK: Scenarios

extension WebEngine {
  /// The longest time for a run.
  private static let longestRun = Duration.seconds(10)

  private func source(_ request: JSONValue) throws -> JSONValue {
    let members = try RequestMembers(request, named: ["scenario"])
    let id = try members.text("scenario") ?? ""
    guard let file = files[id] else {
      throw Diagnostics("there is no scenario '\(id)'", hint: Spelling.hint(for: id, among: files.keys.sorted()))
    }
    return ["file": .string(file.lines.joined(separator: "\n"))]
  }

  private func run(_ request: JSONValue) throws -> JSONValue {
    let members = try RequestMembers(request, named: ["scenario", "file", "case", "validator"])
    let id = try members.text("scenario") ?? ""
    let folder = ScenarioLibrary.curriculumFolder ?? "."
    let path = files[id]?.path ?? "\(folder)/scenario.yaml"
    let library = try workbench.library(of: path)
    var reader = library.reader
    reader.isEditing = true
    let file = try reader.read(Array((try members.text("file") ?? "").utf8), path: path)
    let name = try members.text("case") ?? ""
    guard let scenario = file.scenario(named: name) ?? file.cases.first else {
      throw Diagnostics("the file has no case", hint: "write at least 'title'")
    }
    let cast = ScenarioSetup(
      keys: Workbench.keys, mutant: try Self.mutant(members), readFile: { Self.curriculumFile(at: $0, below: folder) })
    let end = ContinuousClock.now + Self.longestRun
    let result: CaseResult
    do throws(Diagnostics) {
      result = try ScenarioPlayer(cast: cast).play(scenario, until: { ContinuousClock.now > end })
    } catch {
      throw file.showing(error)
    }
    let names = file.cases.map(\.caseName)
    let run = RunView(result, cases: names).json()
    return [
      "run": run, "links": site.links(in: run), "case": .string(scenario.caseName), "cases": .strings(names),
      "warnings": .array(file.warnings.map(Self.json)),
    ]
  }

  private static func mutant(_ members: RequestMembers) throws -> Mutant? {
    guard let name = try members.text("validator"), !name.isEmpty else { return nil }
    guard let mutant = Mutant.named(name) else {
      throw Diagnostics("no such mutant: '\(name)'", hint: Spelling.hint(for: name, among: Mutant.all.map(\.name)))
    }
    return mutant
  }

  /// The bytes of a file of the curriculum; nil for every other file.
  ///
  /// A symbolic link that leads out of the curriculum is another file.
  private static func curriculumFile(at path: String, below folder: String) -> [UInt8]? {
    let home = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard place.hasPrefix(home), FileKind.isRegular(place) else { return nil }
    return FileManager.default.contents(atPath: place).map(Array.init)
  }

  private static func complete(_ request: JSONValue) throws -> JSONValue {
    let members = try RequestMembers(request, named: ["file", "line", "column"])
    let lines = (try members.text("file") ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    let completion = ScenarioCompletion(
      lines, line: try members.integer("line") ?? 1, column: try members.integer("column") ?? 1)
    return [
      "column": .integer(completion.column),
      "items": .array(
        completion.items.map { item in
          ["word": .string(item.word), "text": .string(item.text), "meaning": .string(item.meaning)]
        }),
    ]
  }
}

// MARK: Files of the user

extension WebEngine {
  private static let mostURLs = 100
  private static let mostSystems = 20
  private static let mostSessions = 200

  private static func checkPropertyList(_ request: JSONValue) throws -> JSONValue {
    let members = try RequestMembers(request, named: ["plist", "bytes", "urls", "systems"])
    let file = try InfoPlistFile(try bytes(members, text: "plist"), path: "Info.plist")
    let urls = try lines(members, "urls", most: mostURLs).map(LoadURL.written)
    let names = try lines(members, "systems", most: mostSystems)
    let systems = try names.isEmpty ? OSVersion.eras(of: file) : names.map(OSVersion.deciding)
    let decisions = urls.flatMap { url in
      systems.map { AppTransportSecurity.decide(.init(url, os: $0), by: file.configuration) }
    }
    return [
      "decisions": .array(decisions.map(\.json)),
      "lint": LintView([.init(file, systems: systems)], systems: systems).json(),
    ]
  }

  private static func checkChain(_ request: JSONValue) throws -> JSONValue {
    var usual = VerifySettings()
    let validator = try RequestMembers(request, named: ["validator"]).text("validator") ?? ""
    if !validator.isEmpty {
      guard let mutant = Mutant.named(validator), mutant.isOfValidators else {
        throw Diagnostics("'\(validator)' is not a bug of certificate validation", hint: "choose one of the list")
      }
      usual.mutant = mutant
    }
    return .object(try VerifyRequest(request, usual: usual, files: nil).answer)
  }

  private func open(_ request: JSONValue) throws -> JSONValue {
    let members = try RequestMembers(request, named: ["bytes", "name", "keylog", "key", "session"])
    var recording = try RecordingFile(
      try Self.bytes(members, text: "text"), path: try members.text("name") ?? "capture")
    var warnings = recording.warnings
    if let text = try members.text("keylog"), !text.isEmpty {
      let log = try KeyLog.read(text, path: "key log")
      warnings += log.warnings(path: "key log")
      recording.add(log)
    }
    if let pem = try members.text("key"), !pem.isEmpty {
      do throws(KeyError) { recording.use(try PrivateKey(pem: pem)) } catch {
        throw Diagnostics("the file is not a private key: \(error)", hint: "use a PEM file")
      }
    }
    let flows = recording.sessions.prefix(Self.mostSessions)
    let sessions = flows.map { ReplayedSession($0) }
    let wanted = try members.text("session")
    guard let chosen = sessions.first(where: { $0.recording.id == wanted }) ?? sessions.first else {
      throw Diagnostics("the file has no TLS session", hint: "record from the first packet of a connection on")
    }
    guard case .array(let runs)? = ReplayView(path: "", sessions: [chosen]).json()["sessions"], let run = runs.first
    else {
      return [:]
    }
    return [
      "sessions": .strings(sessions.map(\.recording.id)), "count": .integer(recording.sessions.count),
      "session": .string(chosen.recording.id), "run": run, "links": site.links(in: run),
      "warnings": .array(warnings.map(Self.json)),
    ]
  }

  /// The bytes in base64 of the member `bytes`, or else the text of another member.
  private static func bytes(_ members: RequestMembers, text: String) throws -> [UInt8] {
    guard let encoded = try members.text("bytes"), !encoded.isEmpty else {
      return Array((try members.text(text) ?? "").utf8)
    }
    do throws(PEMError) { return try Base64.decode(encoded) } catch {
      throw Diagnostics("'bytes' is not base64: \(error)", hint: "reload the page")
    }
  }

  private static func lines(_ members: RequestMembers, _ name: String, most: Int) throws -> [String] {
    let lines = try members.texts(name) ?? []
    guard lines.count <= most else {
      throw Diagnostics("there are more than \(most) \(name)", hint: "check them in several requests")
    }
    return lines
  }
}
