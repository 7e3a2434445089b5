import Explanation

extension Rule {
  /// Since which of Apple's systems the rule is held, and under which roots; empty where it does not depend on either.
  public var since: [String] { Rule.history[id] ?? [] }

  private static let history: [String: [String]] = [
    "chain.key-size": [
      "iOS 13, macOS 10.15: all roots; a server's certificate that the user trusts itself is exempt (HT210176)",
      "iOS 11 and 12, macOS 10.13 and 10.14: unknown under roots of the system, not held under others",
    ],
    "chain.weak-signature": [
      "iOS 13, macOS 10.15: SHA-1 and older under all roots (HT210176); a self-signed certificate's own signature and "
        + "an anchor that the user trusts are exempt",
      "iOS 11, macOS 10.13: SHA-1 and older under roots of the system (HT207459)",
      "iOS 5: MD5 and older under all roots (TS4133)",
    ],
    "chain.lifetime": [
      "iOS 13, macOS 10.15, roots of the system: 825 days issued from 2018-03-01 on (HT210176), 398 days issued from "
        + "2020-09-01 on (HT211025); 39 and 60 months before",
      "iOS 13, macOS 10.15, roots of users and apps: 825 days issued from July 2019 on; a server's certificate that "
        + "the user trusts itself is exempt",
    ],
  ]
}
