import Explanation
import TLS
import Testing
import Trust

@testable import URLLoading

@Suite struct AppErrorTests {
  private let expired = Rule(.chain, "expired", "", .rfc(5280, "6.1.3"))
  private let noAnchor = Rule(.chain, "no-anchor", "", .rfc(5280, "6.1"))
  private let mismatch = Rule(.name, "mismatch", "", .rfc(9525, "6"))
  private let noSuite = Rule(.handshake, "no-common-suite", "", .rfc(5246, "7.4.1.3"))

  private func surfacing(
    _ because: Rule..., ats: Bool, _ os: String = "iOS 13", alert: AppError.FatalAlert? = nil
  ) throws -> [String] {
    AppError.surfacing(because, atsInForce: ats, os: try #require(OSVersion(os)), alert: alert).errors.map(
      \.description)
  }

  @Test("every known error is written and read in the form of scenarios")
  func roundTrip() {
    #expect(AppError.all.count == Set(AppError.all).count && AppError.all.count > 100)
    for error in AppError.all { #expect(AppError(error.description) == error && !error.name.isEmpty) }
    #expect(AppError("NSURLErrorDomain -1200")?.name == "NSURLErrorSecureConnectionFailed")
    #expect(AppError("NSURLErrorDomain -1022")?.name == "NSURLErrorAppTransportSecurityRequiresSecureConnection")
    #expect(AppError("kCFStreamErrorDomainSSL -9802")?.name == "errSSLFatalAlert")
    #expect(AppError.named(code: -9802) == [AppError(.tls, -9802)])
  }

  @Test(
    "an unknown error is refused",
    arguments: ["", "-1200", "NSURLErrorDomain", "NSURLErrorDomain -12", "NSURLErrorDomain 1200", "Other -1200"])
  func unknown(text: String) {
    #expect(AppError(text) == nil)
  }

  @Test("the error for an invalid or incomplete response is unknown, for a redirect loop known")
  func unreported() throws {
    let os = try #require(OSVersion("iOS 18"))
    for name in ["malformed-message", "incomplete-message", "malformed-frame"] {
      let rule = Rule(.application, name, "", .rfc(9112, "2"))
      let surfaced = AppError.surfacing([rule], atsInForce: true, os: os)
      #expect(surfaced.errors.isEmpty)
      #expect(surfaced.confidence.isUnknown("error") && surfaced.confidence == AppError.openQuestion(about: [rule]))
    }
    let loop = Rule(.application, "redirect-loop", "", .rfc(9110, "15.4"))
    #expect(try surfacing(loop, ats: true) == ["NSURLErrorDomain -1007"])
    #expect(AppError.openQuestion(about: [loop]) == nil && AppError.openQuestion(about: []) == nil)
    // An earlier failure decides.
    #expect(
      AppError.openQuestion(about: [Rule(.application, "malformed-message", "", .rfc(9112, "2")), expired]) == nil)
  }

  @Test("a blocked load is -1022 and nothing else")
  func blocked() throws {
    #expect(try surfacing(.atsInsecureHTTP, ats: true) == ["NSURLErrorDomain -1022"])
  }

  @Test("a certificate error is -1200 with -9802 under App Transport Security, and -1202 without")
  func trust() throws {
    let under = ["NSURLErrorDomain -1200", "kCFStreamErrorDomainSSL -9802"]
    for rule in [expired, noAnchor, mismatch, .atsKeySize, .atsLeafHash, .atsTrustLoosening] {
      #expect(try surfacing(rule, ats: true) == under)
    }
    #expect(try surfacing(noAnchor, ats: false) == ["NSURLErrorDomain -1202", "kCFStreamErrorDomainSSL -9807"])
    #expect(try surfacing(noAnchor, ats: false, "iOS 12").contains("kCFStreamErrorDomainSSL -9813"))
    #expect(try surfacing(expired, ats: false).contains("kCFStreamErrorDomainSSL -9814"))
    #expect(try surfacing(mismatch, ats: false).contains("kCFStreamErrorDomainSSL -9843"))
    #expect(try surfacing(mismatch, noAnchor, ats: false).contains("kCFStreamErrorDomainSSL -9807"))
  }

  @Test("a required certificate that is missing is -1206, a refused one -1205")
  func clientCertificates() throws {
    let expired = Rule(.clientAuth, "expired", "", .rfc(5280, "6.1.3"))
    for (rule, code) in [
      (Rule.clientCertificateRequired, -1206), (Rule(.pkcs12, "malformed", "", .rfc(7292, "4")), -1206),
      (expired, -1205), (.badCertificateVerify, -1205),
    ] {
      let seen = try surfacing(rule, ats: false).filter { $0.hasPrefix("NSURLErrorDomain") }
      #expect(seen == ["NSURLErrorDomain \(code)"], "\(rule.id)")
    }
  }

  @Test("an alert after the client's certificate is -1205 with its code, otherwise -1200")
  func alertAfterCertificate() throws {
    for (alert, code) in [(AlertDescription.unsupportedCertificate, -9826), (.accessDenied, -9832)] {
      let after = AppError.FatalAlert(alert, isFromServer: true, followsCertificate: true)
      let refused = ["NSURLErrorDomain -1205", "kCFStreamErrorDomainSSL \(code)"]
      #expect(try surfacing(.fatalAlert, ats: true, alert: after) == refused)
      let none = AppError.FatalAlert(alert, isFromServer: true)
      #expect(try surfacing(.fatalAlert, ats: true, alert: none).first == "NSURLErrorDomain -1200")
    }
    let own = AppError.FatalAlert(.unknownCA, isFromServer: false, followsCertificate: true)
    #expect(try surfacing(.fatalAlert, ats: true, alert: own).first == "NSURLErrorDomain -1200")
  }

  @Test("a failed handshake is -1200, with the code of the alert that the server sent")
  func handshake() throws {
    for rule in [noSuite, .atsNoForwardSecrecy, .atsTLSVersion] {
      #expect(try surfacing(rule, ats: true).first == "NSURLErrorDomain -1200")
      #expect(try surfacing(rule, ats: true).contains("kCFStreamErrorDomainSSL -9801"))
      let failure = AppError.FatalAlert(.handshakeFailure, isFromServer: true)
      #expect(try surfacing(rule, ats: true, alert: failure).contains("kCFStreamErrorDomainSSL -9824"))
      let version = AppError.FatalAlert(.protocolVersion, isFromServer: true)
      #expect(try surfacing(rule, ats: true, alert: version).contains("kCFStreamErrorDomainSSL -9836"))
    }
  }

  @Test("a load without a refusal has no error, and an unanswered challenge hangs")
  func none() throws {
    #expect(AppError.surfacing([], atsInForce: true, os: OSVersion(.iOS, 12)).errors.isEmpty)
    #expect(try surfacing(Rule(.challenge, "unanswered", "", .apple("")), ats: true).isEmpty)
    #expect(try surfacing(Rule(.challenge, "cancelled", "", .apple("")), ats: true).first == "NSURLErrorDomain -999")
  }

  @Test("a closed connection has its own codes, and no code of an alert")
  func closed() throws {
    let end = AppError.FatalAlert(.closeNotify, isFromServer: true)
    let seen = try surfacing(.truncatedConnection, ats: true, alert: end)
    #expect(seen.first == "NSURLErrorDomain -1200" && !seen.contains("kCFStreamErrorDomainSSL -9802"))
    #expect(seen.contains("kCFStreamErrorDomainSSL -9816") && seen.contains("kCFStreamErrorDomainSSL -9806"))
    // A peer that sends close_notify during the handshake has sent no fatal alert, and has not cut the connection.
    let closed = try surfacing(.closedEarly, ats: true, alert: end)
    #expect(closed == ["NSURLErrorDomain -1200", "NSURLErrorDomain -1005", "kCFStreamErrorDomainSSL -9805"])
    // A record that does not authenticate has a code of TLS.
    #expect(try surfacing(.badMAC, ats: true).contains("kCFStreamErrorDomainSSL -9846"))
  }

  @Test("every alert with which a server can end a handshake has a registered code")
  func alerts() throws {
    for alert in AlertDescription.registry {
      let errors = AppError.surfacing(
        [noSuite], atsInForce: true, os: OSVersion(.iOS, 13), alert: .init(alert.description, isFromServer: true)
      ).errors
      #expect(errors.count == 2 && errors.allSatisfy { $0.registration != nil })
    }
  }
}
