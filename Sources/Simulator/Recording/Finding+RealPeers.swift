import Endpoint
import Explanation
import TLS

extension Finding {
  /// The same finding for a recording or a real server.
  ///
  /// A suite that TrustLab does not model is no fault of a real peer, and needs no fix. In a scenario, the author can
  /// choose another suite.
  var ofRealPeers: Finding {
    rule == .suiteNotImplemented
      ? of(
        rule.fixed(
          by: "No fix is needed: TrustLab does not model the cipher suite and cannot show the rest of the connection."))
      : self
  }
}

extension Decision {
  /// The same decision with the findings of a real server.
  var ofRealPeers: Decision {
    Decision(event, findings.map(\.ofRealPeers))
  }
}
