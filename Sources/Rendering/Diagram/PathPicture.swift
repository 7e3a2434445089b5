import Explanation
import Simulator
import Trust

/// The certificate paths of a run as a picture: a box for every certificate, the anchor on top.
struct PathPicture {
  private let simulation: Simulation
  private static let width = 640
  private static let boxHeight = 46
  private static let gap = 26

  init(_ simulation: Simulation) { self.simulation = simulation }

  /// The picture; nil where no path was evaluated.
  var svg: String? {
    let evaluations = simulation.accounts.compactMap { account in
      account.client.evaluation.map { (host: account.plan.url.host, evaluation: $0) }
    }
    guard !evaluations.isEmpty else { return nil }
    var canvas = SVGCanvas(width: Self.width)
    var y = 20
    for (host, evaluation) in evaluations { y = draw(evaluation, host: host, from: y, on: &canvas) }
    return canvas.document(title: "Certificate path", height: y)
  }

  private func draw(_ evaluation: TrustEvaluation, host: String, from top: Int, on canvas: inout SVGCanvas) -> Int {
    var y = top
    guard let candidate = evaluation.candidates.first else { return y }
    let path = Array(candidate.path.certificates.enumerated().reversed())
    let bottom = y + path.count * (Self.boxHeight + Self.gap)
    canvas.lifeline(x: Self.width / 2, from: y + Self.boxHeight / 2, to: bottom, isDashed: false)
    for (index, certificate) in path {
      let findings = VerifyView.findings(of: candidate, at: index)
      let isAnchor = certificate == candidate.path.anchor
      let state = VerifyView.state(findings)
      let role = isAnchor ? candidate.anchorKind.map { "\($0.rawValue) anchor" } ?? "" : ""
      let because = findings.deciding.map(\.id).joined(separator: ", ")
      let below = because.isEmpty ? RichText(role, .dim) : RichText(because, .bad)
      let lines =
        [state + RichText(" \(simulation.world.names(certificate))", .strong)] + (below.isEmpty ? [] : [below])
      canvas.box(lines, centre: Self.width / 2, y: y, findings.refuses ? .bad : .good, height: Self.boxHeight)
      y += Self.boxHeight + Self.gap
    }
    let onHost = evaluation.findings.settled.filter { $0.subject == .host(host) }
    canvas.box(
      [VerifyView.state(onHost) + RichText(" \(host)")], centre: Self.width / 2, y: y, .plain, height: 30, isQuiet: true
    )
    return y + 50
  }
}

extension PathView {
  /// The paths as one self-contained SVG picture; nil where none was evaluated.
  public func svg() -> String? { PathPicture(simulation).svg }
}
