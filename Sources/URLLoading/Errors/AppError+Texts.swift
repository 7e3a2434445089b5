extension AppError {
  /// What a user reads, in English, as `NSLocalizedDescription` has it; empty where it is not known.
  public var localizedText: String {
    guard domain == .url else { return "" }
    switch code {
    case -1022:
      return "The resource could not be loaded because the App Transport Security policy requires the use of a "
        + "secure connection."
    case -1200: return "An SSL error has occurred and a secure connection to the server cannot be made."
    case -1202:
      return "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
        + "be “HOST” which could put your confidential information at risk."
    default: return ""
    }
  }

  /// What there is to know about the code besides; empty where there is nothing.
  public var note: String {
    switch (domain, code) {
    case (.url, -1206 ... -1200):
      "Foundation on Linux (swift-corelibs-foundation) has the constants NSURLErrorSecureConnectionFailed to "
        + "NSURLErrorClientCertificateRequired one too low, -1201 to -1207; URLError.Code has the right ones. Compare "
        + "numbers."
    case (.url, -1): "On Linux every failure of TLS shows as this one: Foundation there asks libcurl."
    case (.tls, -9886 ... -9880):
      "A verdict inside Security. No public report of an error shows it in the place of the code of TLS."
    case (.tls, -9802): "The alert's name is not told: this code says that the client refused, not why."
    case (.tls, let code) where name.hasPrefix("errSSLPeer") && code != -9841:
      "Names with 'Peer' are alerts that came from the server."
    default: ""
    }
  }

  /// Whether SecBase.h skips this code among its status codes of TLS, -9800 to -9890: it means nothing.
  public static func isUndefined(_ code: Int) -> Bool {
    (-9890 ... -9800).contains(code) && AppError(.tls, code).registration == nil
  }
}
