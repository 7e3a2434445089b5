import Explanation
import TLS
import Trust

/// App Transport Security: what the URL Loading System demands of an app's connections since iOS 9 and OS X 10.11.
///
/// A `Configuration` is read from an app's Info.plist; `decide` says what it means for one load on one system.
public enum AppTransportSecurity {}
