import Cryptography
import Peers
import Scenarios

/// The curriculum read, played and judged in this process; nobody else does that, so there is no peer.
enum Curriculum {
  static func measured(rounds: Int) throws -> String {
    let library = try ScenarioLibrary.curriculum()
    let player = ScenarioLibrary.player(keys: KeyStore())
    var reading = Times(name: "reading a file")
    var playing = Times(name: "playing and judging a case")
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
      if round == 0 { continue }  // the keys are made
      reading.samples.append((middle - start) / Double(files.count))
      playing.samples.append((end - middle) / Double(entries.count))
    }
    return Table.text("The curriculum, \(library.ids.count) files", [playing, reading], compared: false)
  }
}
