import Explanation
import PKIX
import Trust

// The remedies for the fixes of revocation.
extension Remedy {
  static let revocation: [Remedy] = [
    Remedy(bothSides: .revoked, says: "issue a new certificate for a new key") { c throws(NotPlayable) in
      let name = try c.subject()
      let isStapled = c.server("staple") != nil
      return (try c.replacing(name, [("revoked", "null"), ("released", "null"), ("reason", "null")]))
        + (isStapled ? ["\(c.serverPath("staple")) = null", "\(c.serverPath("staple")) = current"] : [])
    },
    Remedy(.revocationUnknown, says: "Make the CA's CRL or responder reachable") { c throws(NotPlayable) in
      try c.network { $0 == "block-revocation" }
    },
    Remedy(.revocationUnknown, says: "staple its response for clients that request one") { c throws(NotPlayable) in
      // A stapled response covers the server's own certificate, and iOS has requested one since iOS 7.
      guard c.certificate?.index == 0, c.os.map({ $0.isAtLeast(iOS: (7, 0), macOS: (10, 9)) }) != false else {
        return []
      }
      return try stapling(c)
    },
    Remedy(.revocationUnknown, says: "A client with soft-fail needs neither") { c in
      ["\(c.clientPath("revocation")) = soft-fail"]
    },
    Remedy(
      .revocationUnknown, .mustStaple, .badStaple, says: "Get a new response from the responder, and staple it",
      by: stapling),
    Remedy(.revocationUnknown, .mustStaple, .badStaple, says: "Get the response again", by: stapling),
    Remedy(.revocationUnknown, says: "Get a new response from the responder. Have the responder set", by: stapling),
    Remedy(.revocationUnknown, says: "Request and staple the response about this certificate", by: stapling),
    Remedy(.revocationUnknown, .badStaple, says: "Send the request again later", by: stapling),
    Remedy(.revocationUnknown, .badStaple, says: "sign the response") { c in
      ["\(c.serverPath("staple")).signer = null"]
    },
    Remedy(.revocationUnknown, .badStaple, says: "certify the responder with OCSPSigning in extKeyUsage") {
      c throws(NotPlayable) in
      guard let signer = c.server("staple")?["signer"]?.text else {
        throw NotPlayable("no certificate signs the response")
      }
      return ["\(try c.setting("extendedKeyUsage", of: signer)) = [OCSPSigning]"]
    },
    Remedy(.mustStaple, says: "Configure the server to staple OCSP responses", by: stapling),
    Remedy(.mustStaple, says: "use a certificate without the must-staple extension") { c throws(NotPlayable) in
      ["\(try c.setting("mustStaple", of: try c.subject())) = null"]
    },
    Remedy(.badStaple, says: "Configure the server to staple a current OCSP response", by: stapling),
    Remedy(.badStaple, .revocationUnknown, says: "Replace the responder's certificate") { c throws(NotPlayable) in
      guard let signer = c.server("staple")?["signer"]?.text else {
        throw NotPlayable("no certificate signs the response")
      }
      return ["\(try c.setting("revoked", of: signer)) = null"]
    },
    Remedy(.revocationUnknown, says: "Get the current CRL") { c throws(NotPlayable) in try c.network { $0 == "outdate" }
    },
    Remedy(.revocationUnknown, says: "Add the CRL", cannotBePlayed: "this client does not fetch the issuer's CRL"),
    Remedy(.revocationUnknown, says: "or an OCSP response about the certificate", by: stapling),
    Remedy(.revocationUnknown, says: "Check that the responder serves this CA", by: stapling),
    Remedy(.revocationUnknown, says: "Add the certificate of CN=") { c throws(NotPlayable) in
      [c.serverList("presents", adding: try signer(c))]
    },
    Remedy(.revocationUnknown, says: "again with cRLSign in keyUsage") { c throws(NotPlayable) in
      ["\(try c.setting("keyUsage", of: try signer(c))) = [keyCertSign, cRLSign]"]
    },
    Remedy(.revocationUnknown, says: "or replace the certificate of CN=") { c throws(NotPlayable) in
      ["\(try c.setting("revoked", of: try signer(c))) = null"]
    },
  ]

  /// Makes the server that presents the certificate staple a current response, and removes an attacker that alters it.
  @Sendable private static func stapling(_ c: FixContext) throws(NotPlayable) -> [String] {
    let name = try c.subject()
    let attacker = c.tree.lists(of: "presents", below: "").first {
      $0.path.hasPrefix("network[") && $0.list.names(name)
    }
    let place = attacker.map { $0.path.dropLast("presents".count) + "staple" } ?? c.serverPath("staple")
    let altering = c.fix.contains("was changed") ? try? c.network { $0 == "alter" } : nil
    return ["\(place) = null", "\(place) = current"] + (altering ?? [])
  }

  /// Returns the signer of the CRL that the fix names.
  private static func signer(_ c: FixContext) throws(NotPlayable) -> String {
    guard let name = c.fix.firstMatch(of: /CN=(.+?)(?: to | again|\.$)/)?.1 else {
      throw NotPlayable("the fix has no signer")
    }
    return String(name)
  }
}
