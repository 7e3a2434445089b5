import Testing

@testable import URLLoading

@Suite("Resolution of a Location against a URL") struct ReferenceTests {
  @Test(
    "references are resolved against the loaded URL",
    arguments: [
      ("https://api.example/a/b?c", "http://other.example/x", "http://other.example/x"),
      ("https://api.example/a/b?c", "//other.example/x", "https://other.example/x"),
      ("https://api.example:8443/a/b", "/x?y", "https://api.example:8443/x?y"),
      ("https://api.example/a/b?c=/d", "x", "https://api.example/a/x"),
      ("http://[fe80::1]:8080/", "x", "http://[fe80::1]:8080/x"),
      ("https://api.example:443/", "/", "https://api.example/"),
    ])
  func resolved(base: String, reference: String, expected: String) throws {
    #expect(try LoadURL(base).resolving(reference)?.description == expected)
  }

  @Test("an invalid URL has no redirect target", arguments: ["http://", "http://a b/", "//"])
  func nowhere(reference: String) throws {
    #expect(try LoadURL("https://api.example/").resolving(reference) == nil)
  }

  @Test(
    "a server's name includes a port other than the scheme's, and brackets for IPv6",
    arguments: [
      ("https://api.example/", "api.example"), ("https://192.168.1.4:9777/", "192.168.1.4:9777"),
      ("http://[fe80::1]/", "[fe80::1]"), ("http://api.example:443/", "api.example:443"),
    ])
  func authority(url: String, expected: String) throws {
    #expect(try LoadURL(url).authority == expected)
  }
}
