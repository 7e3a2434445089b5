import Cryptography
import Laboratory
import Peers
import Scenarios
import Simulator

/// The curriculum, read, run and checked in this process. There is no peer, because no other program does that.
enum Curriculum {
  static func measured(rounds: Int) throws -> String {
    let library = try ScenarioLibrary.curriculum()
    let player = ScenarioLibrary.player(keys: KeyStore())
    var reading = Times(name: "reading a file")
    var playing = Times(name: "playing and judging a case")
    var running = Times(name: "running a case")
    var trying = Times(name: "trying every goal of its connections")
    for round in 0...max(1, rounds / 10) {
      let start = peer_cpu_time()
      let files = try library.files()
      let middle = peer_cpu_time()
      let entries = TestRun(files, player: player).entries()
      let end = peer_cpu_time()
      let failed = entries.count { $0.result == .failed }
      guard !entries.isEmpty, failed == 0 else {
        throw PeerError(description: "\(failed) scenarios of \(library.folder) failed")
      }
      let (runs, goals) = try timesOfGoals(files, player)
      if round == 0 { continue }  // the keys are made
      reading.samples.append((middle - start) / Double(files.count))
      playing.samples.append((end - middle) / Double(entries.count))
      running.samples.append(runs / Double(entries.count))
      trying.samples.append(goals / Double(entries.count))
    }
    let rows = [playing, running, trying, reading]
    return Table.text("The curriculum, \(library.ids.count) files", rows, compared: false)
  }

  /// The first case of L16-01, in TLS 1.3, and the second, whose server only has TLS 1.2.
  static func versions() throws -> [Contender] {
    let cases = try ScenarioLibrary.curriculum().files(naming: ["L16-01"]).flatMap(\.cases)
    guard cases.count > 1 else { throw PeerError(description: "L16-01 has no second case") }
    let player = ScenarioLibrary.player(keys: KeyStore())
    return [
      Contender("TLS 1.3") { for outcome in try play(cases[0], player) { _ = outcome.goals } },
      Contender("TLS 1.2", target: 1 / 1.2) { for outcome in try play(cases[1], player) { _ = outcome.goals } },
    ]
  }

  private static func play(_ scenario: Scenario, _ player: ScenarioPlayer) throws -> [Outcome] {
    var simulation = try player.simulation(of: scenario)
    simulation.run()
    return Outcome.connections(of: simulation)
  }

  /// The CPU time of running every case, and then of trying every goal of every connection, in seconds.
  private static func timesOfGoals(_ files: [ScenarioFile], _ player: ScenarioPlayer) throws -> (Double, Double) {
    var (runs, goals) = (0.0, 0.0)
    for scenario in files.flatMap(\.cases) {
      let start = peer_cpu_time()
      let outcomes = try play(scenario, player)
      let middle = peer_cpu_time()
      for outcome in outcomes { _ = outcome.goals }
      (runs, goals) = (runs + middle - start, goals + peer_cpu_time() - middle)
    }
    return (runs, goals)
  }
}
