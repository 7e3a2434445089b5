import Explanation
import Rendering
import Scenarios
import Synchronization

/// The site as a server sends it. Each page is made when it is requested, and more pages pass inputs to the engine.
///
/// Lists of cases need every case to be played. Until then they contain those that have been, and say so.
public final class ServedSite: Sendable {
  private let plan: SitePlan
  private let player: ScenarioPlayer
  private let cases: [String: CaseReference]
  private let files: [String: SiteFile]
  /// The summaries of the cases that have been played, by their paths.
  private let summaries = Mutex<[String: CaseSummary]>([:])
  /// The rows of the table of pinning libraries so far.
  private let pins = Mutex<[PinMatrix.Row]>([])
  /// The number of parts that the table at a path lacks.
  private let missing: Mutex<[String: Int]>

  /// A site with this content, whose cases `player` plays.
  public init(_ content: SiteContent, player: ScenarioPlayer) {
    plan = SitePlan(content, hasEngine: true)
    self.player = player
    cases = Dictionary(plan.cases.map { ($0.path, $0) }) { first, _ in first }
    files = Dictionary((content.assets + SearchScript(plan).files).map { ($0.path, $0) }) { first, _ in first }
    missing = Mutex([SystemsPage.path: plan.cases.count(where: \.isMain), PinsPage.path: content.releases.count])
  }

  /// The file at `path`, relative to the site's folder; nil if there is none.
  ///
  /// - Throws: `Diagnostics` if the page's case cannot be played.
  public func file(at path: String) throws(Diagnostics) -> SiteFile? {
    if let file = files[path] { return file }
    if let reference = cases[path] {
      return CasePage(reference, try player.played(reference), player, site: plan).page.file(plan.links)
    }
    if let page = WorkbenchPage(path: path) { return page.page.file(plan.links) }
    if path == "index.html", let front = plan.front { try play(front) }
    let played = summaries.withLock { known in plan.cases.compactMap { known[$0.path] } }
    let pages = plan.pages(of: played, pins: pins.withLock(\.self))
    guard var page = pages.first(where: { $0.path == path })?.make() else { return nil }
    if played.count < plan.cases.count {
      page.notice =
        "\(played.count) of \(plan.cases.count) cases have been played. Reload this page to list the others."
    } else if missing.withLock({ $0[path, default: 0] > 0 }) {
      page.notice = "The table is not complete yet. Reload this page in a minute."
    }
    return page.file(plan.links)
  }

  /// Plays all cases that have not been, one after the other, for the lists. Cases that cannot be played are left out.
  public func playAll() {
    for reference in plan.cases { try? play(reference) }
    for release in plan.content.releases {
      let rows = try? PinMatrix(of: [release], by: player, plan.content.reader).rows
      pins.withLock { $0 += rows ?? [] }
      missing.withLock { $0[PinsPage.path, default: 0] -= 1 }
    }
    for reference in plan.cases where reference.isMain {
      let verdicts = SystemsPage.verdicts(of: reference, on: plan.content.systems, player)
      summaries.withLock { $0[reference.path]?.systems = verdicts }
      missing.withLock { $0[SystemsPage.path, default: 0] -= 1 }
    }
  }

  private func play(_ reference: CaseReference) throws(Diagnostics) {
    guard summaries.withLock({ $0[reference.path] }) == nil else { return }
    let result = try player.played(reference)
    let page = reference.path == plan.front?.path ? CasePage(reference, result, player, site: plan) : nil
    let summary = CaseSummary(reference, result, front: page)
    summaries.withLock { $0[reference.path] = summary }
  }

  /// The pages about the names that a run mentions, as the player expects them.
  public func links(in run: JSONValue) -> JSONValue { plan.links.pages(in: run) }
}
