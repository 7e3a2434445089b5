import Endpoint
import Explanation
import TLS

extension Finding {
  /// This finding in the form for a recording or a real server.
  ///
  /// A suite that TrustLab does not model is not a fault of a real peer, so the finding needs no fix. Only the author
  /// of a scenario can choose another suite.
  var ofRealPeers: Finding {
    rule == .suiteNotImplemented
      ? of(
        rule.fixed(
          by: "No fix is needed: TrustLab does not model the cipher suite and cannot show the rest of the connection."))
      : self
  }
}

extension Decision {
  /// This decision with its findings in the form for a real server.
  var ofRealPeers: Decision {
    Decision(event, findings.map(\.ofRealPeers))
  }
}
