extension AppError {
  /// Codes of the URL Loading System.
  static let urlErrors: [Registration] = [
    Registration(-1, "NSURLErrorUnknown", "The reason is not known."),
    Registration(-999, "NSURLErrorCancelled", "The load was cancelled."),
    Registration(-1000, "NSURLErrorBadURL", "The URL is malformed."),
    Registration(-1001, "NSURLErrorTimedOut", "The load took too long."),
    Registration(-1002, "NSURLErrorUnsupportedURL", "The URL's scheme is not supported."),
    Registration(-1003, "NSURLErrorCannotFindHost", "The host's name has no address."),
    Registration(-1004, "NSURLErrorCannotConnectToHost", "Nothing answers at the host."),
    Registration(-1005, "NSURLErrorNetworkConnectionLost", "The connection was lost."),
    Registration(-1006, "NSURLErrorDNSLookupFailed", "The name could not be looked up."),
    Registration(
      -1007, "NSURLErrorHTTPTooManyRedirects", "There were too many redirects, or they go round in a circle."),
    Registration(-1009, "NSURLErrorNotConnectedToInternet", "The device is not connected."),
    Registration(-1010, "NSURLErrorRedirectToNonExistentLocation", "A redirect leads nowhere."),
    Registration(-1012, "NSURLErrorUserCancelledAuthentication", "The authentication challenge was cancelled."),
    Registration(-1013, "NSURLErrorUserAuthenticationRequired", "Authentication is required."),
    Registration(
      -1022, "NSURLErrorAppTransportSecurityRequiresSecureConnection",
      "App Transport Security blocked a load that is not secure."),
    Registration(-1200, "NSURLErrorSecureConnectionFailed", "A secure connection could not be made."),
    Registration(
      -1201, "NSURLErrorServerCertificateHasBadDate", "The server's certificate is expired or not valid yet."),
    Registration(-1202, "NSURLErrorServerCertificateUntrusted", "The server's certificate is not trusted."),
    Registration(-1203, "NSURLErrorServerCertificateHasUnknownRoot", "The server's certificate has an unknown root."),
    Registration(-1204, "NSURLErrorServerCertificateNotYetValid", "The server's certificate is not valid yet."),
    Registration(-1205, "NSURLErrorClientCertificateRejected", "The server rejected the client's certificate."),
    Registration(-1206, "NSURLErrorClientCertificateRequired", "The server requires a client certificate."),
    Registration(-2000, "NSURLErrorCannotLoadFromNetwork", "The resource is to be had from a cache only."),
  ]
}
