import Endpoint
import Explanation
import TLS

extension Finding {
  /// The same of a recording or a real server: whatever these machines cannot run is no fault of theirs, and there is
  /// nothing to mend. In a scenario somebody may write another suite.
  var ofRealPeers: Finding {
    rule == .suiteNotImplemented
      ? of(rule.fixed(by: "Nothing is wrong with the suite: it is not modelled here, and what follows is not shown."))
      : self
  }
}

extension Decision {
  /// The same with the findings of a real server.
  var ofRealPeers: Decision {
    Decision(event, findings.map(\.ofRealPeers))
  }
}
