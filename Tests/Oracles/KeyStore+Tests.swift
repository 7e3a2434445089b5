import Laboratory

extension KeyStore {
  /// The store of all tests, so that no key is made twice.
  public static let tests = KeyStore()
}
