import Testing

@testable import URLLoading

@Suite("What a Location means to a URL") struct ReferenceTests {
  @Test(
    "references are resolved against the URL that was loaded",
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

  @Test("what is no URL leads nowhere", arguments: ["http://", "http://a b/", "//"])
  func nowhere(reference: String) throws {
    #expect(try LoadURL("https://api.example/").resolving(reference) == nil)
  }

  @Test(
    "a server is named with its port unless it is the scheme's, and an address of IPv6 in brackets",
    arguments: [
      ("https://api.example/", "api.example"), ("https://192.168.1.4:9777/", "192.168.1.4:9777"),
      ("http://[fe80::1]/", "[fe80::1]"), ("http://api.example:443/", "api.example:443"),
    ])
  func authority(url: String, expected: String) throws {
    #expect(try LoadURL(url).authority == expected)
  }
}
