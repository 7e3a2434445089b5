extension DHGroup {
  /// A group of 2048 bits whose modulus is not prime: that of ffdhe2048, minus 2.
  public static let composite: (name: String, group: DHGroup) = (
    "composite-2048", DHGroup(prime: (try? ffdhe2048.prime.subtracting(2)) ?? 0, generator: 2)
  )

  /// The groups that servers can use: those of RFC 7919, historical ones, and one with a composite modulus.
  public static let selectable = named + historical + [composite]

  /// Historical groups that too many servers shared.
  ///
  /// After one precomputation for such a group, an attacker could break each connection in minutes (D. Adrian and
  /// others: Imperfect Forward Secrecy, 2015, known as Logjam).
  public static let historical: [(name: String, group: DHGroup)] = [
    // The modulus of Apache for export suites, which four of five servers with such suites used.
    (
      "export-512",
      group(
        "9fdb8b8a004544f0045f1737d0ba2e0b274cdf1a9f588218fb435316a16e3741"
          + "71fd19d8d8f37c39bf863fd60e3e300680a3030c6e4c3757d08f70e6aa871033")
    ),
    // A toy: every prime factor of p - 1 is below 2^16, and 2 generates the whole group. Real primes are not like this.
    (
      "smooth-512",
      group(
        "d92a12bd4f15c2e0ed91bdb7459b8d8a118fbcbdeddac07a89bb5ab86e3e8234"
          + "d1fa8db2cdd42575feccdd63ffac8db56a221f77342f3751d0add4a8a648b48b")
    ),
    // The second Oakley group (RFC 2409 section 6.2): it was usual until 2015, and a state can attack it.
    (
      "oakley-1024",
      group(
        "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
          + "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
          + "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff")
    ),
  ]

  private static func group(_ prime: String) -> DHGroup {
    DHGroup(prime: Natural(prime, radix: 16) ?? 0, generator: 2)
  }
}
