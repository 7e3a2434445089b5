import Explanation
import TLS
import Testing
import Trust

@testable import URLLoading

/// The tables of Apple's errors, row by row.
@Suite("The registries of errors")
struct ErrorRegistryTests {
  /// SecBase.h, from -9800 to -9890.
  private static let statusOfTLS = """
    -9800 errSSLProtocol, -9801 errSSLNegotiation, -9802 errSSLFatalAlert, -9803 errSSLWouldBlock,
    -9804 errSSLSessionNotFound, -9805 errSSLClosedGraceful, -9806 errSSLClosedAbort,
    -9807 errSSLXCertChainInvalid, -9808 errSSLBadCert, -9809 errSSLCrypto, -9810 errSSLInternal,
    -9811 errSSLModuleAttach, -9812 errSSLUnknownRootCert, -9813 errSSLNoRootCert, -9814 errSSLCertExpired,
    -9815 errSSLCertNotYetValid, -9816 errSSLClosedNoNotify, -9817 errSSLBufferOverflow,
    -9818 errSSLBadCipherSuite, -9819 errSSLPeerUnexpectedMsg, -9820 errSSLPeerBadRecordMac,
    -9821 errSSLPeerDecryptionFail, -9822 errSSLPeerRecordOverflow, -9823 errSSLPeerDecompressFail,
    -9824 errSSLPeerHandshakeFail, -9825 errSSLPeerBadCert, -9826 errSSLPeerUnsupportedCert,
    -9827 errSSLPeerCertRevoked, -9828 errSSLPeerCertExpired, -9829 errSSLPeerCertUnknown,
    -9830 errSSLIllegalParam, -9831 errSSLPeerUnknownCA, -9832 errSSLPeerAccessDenied, -9833 errSSLPeerDecodeError,
    -9834 errSSLPeerDecryptError, -9835 errSSLPeerExportRestriction, -9836 errSSLPeerProtocolVersion,
    -9837 errSSLPeerInsufficientSecurity, -9838 errSSLPeerInternalError, -9839 errSSLPeerUserCancelled,
    -9840 errSSLPeerNoRenegotiation, -9841 errSSLPeerAuthCompleted, -9842 errSSLClientCertRequested,
    -9843 errSSLHostNameMismatch, -9844 errSSLConnectionRefused, -9845 errSSLDecryptionFail,
    -9846 errSSLBadRecordMac, -9847 errSSLRecordOverflow, -9848 errSSLBadConfiguration,
    -9849 errSSLUnexpectedRecord, -9850 errSSLWeakPeerEphemeralDHKey, -9851 errSSLClientHelloReceived,
    -9852 errSSLTransportReset, -9853 errSSLNetworkTimeout, -9854 errSSLConfigurationFailed,
    -9855 errSSLUnsupportedExtension, -9856 errSSLUnexpectedMessage, -9857 errSSLDecompressFail,
    -9858 errSSLHandshakeFail, -9859 errSSLDecodeError, -9860 errSSLInappropriateFallback,
    -9861 errSSLMissingExtension, -9862 errSSLBadCertificateStatusResponse, -9863 errSSLCertificateRequired,
    -9864 errSSLUnknownPSKIdentity, -9865 errSSLUnrecognizedName, -9880 errSSLATSViolation,
    -9881 errSSLATSMinimumVersionViolation, -9882 errSSLATSCiphersuiteViolation,
    -9883 errSSLATSMinimumKeySizeViolation, -9884 errSSLATSLeafCertificateHashAlgorithmViolation,
    -9885 errSSLATSCertificateHashAlgorithmViolation, -9886 errSSLATSCertificateTrustViolation,
    -9890 errSSLEarlyDataRejected
    """

  /// NSURLError.h, without the prefix NSURLError.
  private static let loading = """
    -1 Unknown, -999 Cancelled, -1000 BadURL, -1001 TimedOut, -1002 UnsupportedURL, -1003 CannotFindHost,
    -1004 CannotConnectToHost, -1005 NetworkConnectionLost, -1006 DNSLookupFailed, -1007 HTTPTooManyRedirects,
    -1009 NotConnectedToInternet,
    -1010 RedirectToNonExistentLocation, -1011 BadServerResponse, -1012 UserCancelledAuthentication,
    -1013 UserAuthenticationRequired, -1017 CannotParseResponse,
    -1022 AppTransportSecurityRequiresSecureConnection, -1200 SecureConnectionFailed,
    -1201 ServerCertificateHasBadDate, -1202 ServerCertificateUntrusted, -1203 ServerCertificateHasUnknownRoot,
    -1204 ServerCertificateNotYetValid, -1205 ClientCertificateRejected, -1206 ClientCertificateRequired,
    -2000 CannotLoadFromNetwork
    """

  private static func rows(_ text: String) -> [(code: Int, name: String)] {
    text.split(whereSeparator: { ",\n".contains($0) }).compactMap { row in
      let parts = row.split(separator: " ")
      return parts.count == 2 ? Int(parts[0]).map { ($0, String(parts[1])) } : nil
    }
  }

  @Test("every TLS status code has its name, and others from -9800 to -9890 are undefined")
  func tls() {
    let rows = Self.rows(Self.statusOfTLS)
    #expect(AppError.Domain.tls.registry.map(\.code) == rows.map(\.code))
    #expect(AppError.Domain.tls.registry.map(\.name) == rows.map(\.name))
    let undefined = (-9890 ... -9800).filter(AppError.isUndefined)
    #expect(undefined == Array(-9889 ... -9887) + Array(-9879 ... -9866))
    #expect(!AppError.isUndefined(-9799) && !AppError.isUndefined(-9891) && !AppError.isUndefined(-1200))
  }

  @Test("every code of the URL Loading System has its name")
  func url() {
    let rows = Self.rows(Self.loading)
    #expect(AppError.Domain.url.registry.map(\.code) == rows.map(\.code))
    #expect(AppError.Domain.url.registry.map(\.name) == rows.map { "NSURLError\($0.name)" })
  }

  @Test(
    "every check of trust evaluation has its status code",
    arguments: [
      ("name.mismatch", -67602, "errSecHostNameMismatch"), ("chain.expired", -67818, "errSecCertificateExpired"),
      ("chain.key-size", -67735, "errSecUnsupportedKeySize"),
      ("chain.weak-signature", -67815, "errSecInvalidDigestAlgorithm"),
      ("chain.lifetime", -67901, "errSecCertificateValidityPeriodTooLong"),
      ("chain.extended-key-usage", -67609, "errSecInvalidExtendedKeyUsage"),
      ("chain.no-anchor", -67843, "errSecNotTrusted"), ("chain.no-issuer", -25318, "errSecCreateChainFailed"),
      ("pin.mismatch", -9886, "errSSLATSCertificateTrustViolation"),
      ("chain.revoked", -67820, "errSecCertificateRevoked"),
      ("chain.revocation-unknown", -67635, "errSecIncompleteCertRevocationCheck"),
      ("chain.denied", -67654, "errSecTrustSettingDeny"), ("chain.not-a-ca", -67605, "errSecNoBasicConstraintsCA"),
      ("chain.path-length", -67611, "errSecPathLengthConstraintExceeded"),
      ("chain.name-constraints", -67689, "errSecInvalidName"),
      ("chain.certificate-policy", -67835, "errSecInvalidPolicyIdentifiers"),
      ("chain.unhandled-critical-extension", -67603, "errSecUnknownCriticalExtensionFlag"),
      ("chain.key-usage", -67608, "errSecInvalidKeyUsageForPolicy"),
      ("chain.malformed", -67618, "errSecUnknownCertExtension"),
      ("chain.distrusted", -67820, "errSecCertificateRevoked"),
      ("chain.signature-invalid", -67843, "errSecNotTrusted"),
    ])
  func status(rule: String, code: Int, name: String) throws {
    let parts = rule.split(separator: ".")
    let layer = try #require(Layer(rawValue: String(parts[0])))
    let errors = AppError.evaluation([Rule(layer, String(parts[1]), "", .apple(""))])
    #expect(errors == [AppError(.status, code)])
    #expect(errors.first?.name == name)
  }

  @Test("a code is certain if the list of checks contains the rule, and likely otherwise")
  func confidence() {
    for rule in [Rule.revoked, .expired, .nameConstraints, .noAnchor] {
      #expect(AppError.evaluationConfidence(rule) == .certain)
    }
    for rule in [Rule.signatureInvalid, .notCA, .distrusted] {
      #expect(AppError.evaluationConfidence(rule) != .certain)
    }
  }

  @Test("a missing proof of Certificate Transparency has a code too")
  func transparency() {
    #expect(AppError(.status, -67825).name == "errSecVerifyActionFailed")
  }

  @Test("the localized descriptions of three codes are known, with their sources")
  func texts() {
    #expect(AppError.all.filter { !$0.localizedText.isEmpty }.map(\.code) == [-1022, -1200, -1202])
    for code in [-1022, -1200, -1202] {
      let text = AppError(.url, code).localizedText
      #expect(LogLine(text.replacing("HOST", with: "api.example"))?.errors == [AppError(.url, code)])
      #expect(text.contains("“HOST”") == (code == -1202))
    }
    #expect(AppError(.tls, -9802).localizedText.isEmpty)
  }

  @Test("only the constants that differ by one on Linux have a note about it")
  func linux() {
    let warned = AppError.all.filter { $0.note.contains("Linux") && $0.code != -1 }
    #expect(warned.map(\.code) == Array((-1206 ... -1200).reversed()))
    #expect(AppError(.url, -1).note.contains("Linux"))
  }

  /// Observed errors. The confidence is `H` for many reports or the source, `M` for a few, `L` for conflicts.
  private static let seen: [(id: String, url: [Int], tls: [Int], confidence: String)] = [
    ("blocked-load", [-1022], [], "H"), ("trust-under-ats", [-1200], [-9802], "H"),
    ("unknown-root", [-1202], [-9807], "H"), ("unknown-root-earlier", [-1202], [-9813], "M"),
    ("expired", [-1202, -1201], [-9814], "M"), ("name-mismatch", [-1202], [-9843], "M"),
    ("no-common-offer", [-1200], [-9801, -9800, -9858], "M"),
    ("alert-from-server", [-1200], [-9824, -9836, -9838], "M"),
    ("pin-mismatch", [-1200, -1202], [-9802, -9807], "L"),
  ]

  @Test("every reported situation has its reported errors", arguments: seen.map(\.id))
  func situation(id: String) throws {
    let row = try #require(Self.seen.first { $0.id == id })
    let situation = try #require(AppError.Situation.all.first { $0.id == id })
    let expected = row.url.map { AppError(.url, $0) } + row.tls.map { AppError(.tls, $0) }
    #expect(Set(expected).isSubset(of: situation.errors))
    #expect(situation.errors.first == expected.first)
    switch (row.confidence, situation.confidence) {
    case ("H", .certain), ("M", .likely), ("L", .conflicting): break
    default: Issue.record("\(situation.confidence)")
    }
  }

  @Test("every situation has registered errors, a URL Loading error first, and advice")
  func situations() {
    let all = AppError.Situation.all
    #expect(Set(all.map(\.id)).count == all.count)
    for situation in all {
      // For proxies, an app gets CFNetwork's own errors.
      let first = situation.errors.first?.domain
      #expect([.url, .network].contains(first) && situation.errors.allSatisfy { $0.registration != nil })
      #expect(situation.advice.hasSuffix(".") && !situation.systems.isEmpty)
      #expect(AppError.Situation.all.contains { $0.id == situation.id })
    }
  }

  @Test("an unknown root has only the code of its era; other failures have it extrapolated")
  func eras() throws {
    let root = Rule(.chain, "no-anchor", "", .apple(""))
    let weak = Rule(.chain, "key-size", "", .apple(""))
    for (name, code) in [("iOS 12", -9813), ("macOS 10.14", -9813), ("iOS 15", -9807), ("macOS 10.15", -9807)] {
      let os = try #require(OSVersion(name))
      let expected = [AppError(.url, -1202), AppError(.tls, code)]
      #expect(AppError.surfacing([root], atsInForce: false, os: os).errors == expected)
      let other = AppError.surfacing([weak], atsInForce: false, os: os)
      #expect(other.errors == expected)
      #expect(other.confidence.note?.contains("extrapolates") == true)
    }
  }

  @Test("the policy's status has a name, but no app gets it as TLS code")
  func policyStatus() {
    #expect(AppError(.tls, -9886).situations.isEmpty && !AppError(.tls, -9886).name.isEmpty)
    #expect(!AppError(.tls, -9802).situations.isEmpty)
    #expect(AppError.evaluation([Rule(.pin, "mismatch", "", .apple(""))]) == [AppError(.status, -9886)])
  }

  @Test("errors reported for one situation only are not certain for another")
  func otherFailures() throws {
    let root = Rule(.chain, "no-anchor", "", .apple(""))
    let weak = Rule(.chain, "key-size", "", .apple(""))
    let os = try #require(OSVersion("iOS 13"))
    #expect(AppError.surfacing([root], atsInForce: false, os: os).confidence == .certain)
    #expect(AppError.surfacing([weak], atsInForce: false, os: os).confidence != .certain)
    #expect(AppError.surfacing([weak], atsInForce: true, os: os).confidence == .certain)
  }
}
