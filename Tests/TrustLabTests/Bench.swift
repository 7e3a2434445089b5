import Cryptography
import Foundation
import Laboratory
import Oracles
import Rendering
import Scenarios

@testable import trustlab

/// Sessions for tests of the shell.
enum Bench {
  /// Keys are made once for all tests of this run, and not stored.
  static let workbench = Workbench(player: ScenarioLibrary.player(keys: KeyStore.tests))

  /// A session in which these lines were typed.
  static func session(_ lines: String...) -> Session {
    var session = Session(workbench: workbench, style: TextStyle())
    for line in lines { _ = session.evaluate(line) }
    return session
  }

  /// The output of these lines, each after its line.
  static func transcript(of lines: [String]) -> String {
    var session = Session(workbench: workbench, style: TextStyle())
    return lines.map { line in
      let output = session.evaluate(line).text
      return "> \(line)\n" + (output.isEmpty || output.hasSuffix("\n") ? output : output + "\n")
    }.joined()
  }
}

extension Session {
  /// The output of every view at the current step of the session.
  var everything: String {
    guard let opened else { return "" }
    return "\(opened.position)\n" + view(of: opened).json(.numbers).text(pretty: true)
  }
}
