import Explanation
import Learning
import Rendering
import Scenarios
import URLLoading

/// Everything that a site is made from.
public struct SiteContent: Sendable {
  /// The scenarios, in the order in which they are listed.
  public var files: [ScenarioFile]
  /// The lessons that teach them.
  public var lessons: [Lesson]
  /// Documents in Markdown by their paths relative to the home folder: `docs/ci.md`.
  public var documents: [String: String]
  /// The operating systems of the table of systems: `iOS 9`.
  public var systems: [String]
  /// The releases of the table of pinning libraries.
  public var releases: [LibraryVersion]
  /// Reads the scenarios of that table.
  public var reader: ScenarioReader
  /// Files that are copied: style, scripts and pictures.
  public var assets: [SiteFile]

  /// The content of a site.
  public init(
    files: [ScenarioFile], lessons: [Lesson], documents: [String: String], systems: [String],
    releases: [LibraryVersion], reader: ScenarioReader, assets: [SiteFile]
  ) {
    self.files = files
    self.lessons = lessons
    self.documents = documents
    self.systems = systems
    self.releases = releases
    self.reader = reader
    self.assets = assets
  }
}

/// The static site of some scenarios.
public struct StaticSite: Sendable {
  private let plan: SitePlan
  private let player: ScenarioPlayer

  /// A site with this content, whose cases `player` plays.
  public init(_ content: SiteContent, player: ScenarioPlayer) {
    plan = SitePlan(content)
    self.player = player
  }

  /// Plays every case and passes every file of the site to `put`.
  ///
  /// - Parameters:
  ///   - jobs: the number of cases that are played at once.
  ///   - progress: receives the finished and the total number of cases, from one thread at a time.
  ///   - put: stores a file; is called from several threads.
  /// - Throws: the first error of `put`, or `Diagnostics` if a case cannot be played.
  public func write(
    jobs: Int, progress: @Sendable (Int, Int) -> Void = { _, _ in }, _ put: @Sendable (SiteFile) throws -> Void
  ) throws {
    let played = ParallelMap.results(of: plan.cases, jobs: jobs, progress: progress) { reference in
      Result { try write(reference, put) }
    }
    let cases = try played.map { try $0.get() }
    let pins = try PinsPage.rows(plan.content, jobs: jobs, player)
    for page in plan.pages(of: cases, pins: pins) { try put(page.make().file(plan.links)) }
    for file in plan.content.assets + SearchScript(plan).files { try put(file) }
  }

  private func write(_ reference: CaseReference, _ put: (SiteFile) throws -> Void) throws -> CaseSummary {
    let result = try player.played(reference)
    let page = CasePage(reference, result, player, site: plan)
    try put(page.page.file(plan.links))
    var summary = CaseSummary(reference, result, front: reference.path == plan.front?.path ? page : nil)
    if reference.isMain { summary.systems = SystemsPage.verdicts(of: reference, on: plan.content.systems, player) }
    return summary
  }
}

extension [Lesson] {
  /// Sorts files in the order of the lessons. Files that belong to no lesson are last.
  fileprivate func sorting(_ files: [ScenarioFile]) -> [ScenarioFile] {
    let places = Dictionary(flatMap(\.scenarios).enumerated().map { ($1, $0) }) { first, _ in first }
    return files.enumerated().sorted {
      (places[$0.element.id] ?? .max, $0.offset) < (places[$1.element.id] ?? .max, $1.offset)
    }.map(\.element)
  }
}

extension ScenarioPlayer {
  /// Plays a case.
  ///
  /// - Throws: `Diagnostics` with the line of the file if a file cannot be used.
  func played(_ reference: CaseReference) throws(Diagnostics) -> CaseResult {
    do throws(Diagnostics) { return try play(reference.scenario) } catch { throw reference.file.showing(error) }
  }
}

/// The locations of all pages.
struct SitePlan: Sendable {
  let content: SiteContent
  let cases: [CaseReference]
  let words: [WordReference]
  let seeds: SeedStatements
  let links: Links
  private let byName: [String: CaseReference]

  init(_ content: SiteContent, hasEngine: Bool = false) {
    var content = content
    content.files = content.lessons.sorting(content.files)
    self.content = content
    cases = Self.references(to: content.files)
    byName = Dictionary(cases.map { ($0.scenario.name, $0) }) { first, _ in first }
    words = WordReference.all
    seeds = SeedStatements(content.documents[SeedStatements.document] ?? "")
    var links = Links()
    links.hasEngine = hasEngine
    for word in words { links.add(word.entry.name, path: word.path, inText: word.isInText) }
    for word in words {
      let isInText = word.entry.kind == .error
      for other in word.entry.others { links.add(other, path: word.path, inText: isInText) }
    }
    for reference in cases where reference.isMain {
      links.add(reference.scenario.id, path: reference.path, inText: true)
    }
    for lesson in content.lessons { links.add(lesson.id, path: Self.path(of: lesson), inText: false) }
    links.add(PinsPage.name, path: PinsPage.path, inText: false)
    self.links = links
  }

  /// All pages but those of the cases. They list `cases`, and the settings `pins` of pinning libraries.
  func pages(of cases: [CaseSummary], pins: [PinMatrix.Row]) -> [PagePlan] {
    let tables = [
      TablesPage(site: self).plan, SystemsPage(site: self, cases: cases).plan, PinsPage(site: self, rows: pins).plan,
      BugsPage(site: self).plan,
    ]
    return CurriculumPages(site: self, cases: cases).plans + WordPages(site: self, cases: cases).plans
      + DocumentPages(site: self).plans + SeedPages(site: self).plans + tables
  }

  private static func references(to files: [ScenarioFile]) -> [CaseReference] {
    var folders = FileNames()
    return files.flatMap { file in
      let folder = folders.take(file.id)
      var names = FileNames()
      return file.cases.map { scenario in
        let name = names.take(scenario.caseName == Scenario.mainCase ? "index" : scenario.caseName)
        return CaseReference(file: file, scenario: scenario, path: "scenarios/\(folder)/\(name).html")
      }
    }
  }

  /// The case of the front page: L1-01, or else the first one.
  var front: CaseReference? { reference(named: "L1-01") ?? cases.first }

  /// The case called `L1-15` or `L1-15/iOS 8 has no ATS`; nil if the site has none.
  func reference(named name: String) -> CaseReference? { byName[name] }

  /// The accepted case next to a refused one: the named one, or the nearest one of its file.
  func sibling(of reference: CaseReference) -> CaseReference? {
    let (scenario, file) = (reference.scenario, reference.file)
    guard let name = scenario.sibling else {
      return file.sibling(of: scenario).flatMap { self.reference(named: $0.name) }
    }
    let own = self.reference(named: "\(scenario.id)/\(name)")
    return own ?? self.reference(named: name) ?? (name == Scenario.mainCase ? self.reference(named: scenario.id) : nil)
  }

  static func path(of lesson: Lesson) -> String { "lessons/\(lesson.id).html" }

  /// The scenarios before and after this one in its lesson.
  func neighbours(ofScenario id: String) -> (previous: CaseReference?, next: CaseReference?) {
    let ids = content.lessons.lesson(of: id)?.scenarios ?? []
    guard let place = ids.firstIndex(of: id) else { return (nil, nil) }
    let next = place + 1 < ids.count ? reference(named: ids[place + 1]) : nil
    return (place > 0 ? reference(named: ids[place - 1]) : nil, next)
  }

  /// The page and the name of a scenario's lesson; nil if it belongs to none.
  func lessonPath(ofScenario id: String) -> (path: String, title: String)? {
    content.lessons.lesson(of: id).map { (Self.path(of: $0), "\($0.id) \($0.title)") }
  }
}
