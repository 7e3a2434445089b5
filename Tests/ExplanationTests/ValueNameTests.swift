import Explanation
import Oracles
import Testing

@Suite("Names of values")
struct ValueNameTests {
  @Test(
    "every name is read and written without loss",
    arguments: [
      "client_random", "first.server_write_MAC_key", "premaster_secret", "renegotiated.renegotiated.master_secret",
      "first.attempt2.upstream.renegotiated.application_data.client.12", "proxy.message.3", "connect.1", "api.key",
      "server_a.key", "Root[1].certificate", "client.certificate_2", "my.id.p12", "a..b", ".key", "client_", "7",
      "client.1", "record.client.01", "record.client.+1", "", "upstream", "renegotiated", "x.renegotiated.upstream.y",
    ])
  func roundTrip(_ text: String) {
    #expect(ValueName(text).description == text)
  }

  @Test("a name that is read equals one that is constructed")
  func equality() {
    let connection = ValueScope("first")
    #expect(ValueName("first.client_random") == connection.name(ValueKind("random"), of: .client))
    #expect(
      ValueName("first.upstream.renegotiated.record.server.2")
        == connection.upstream.renegotiated.name(ValueKind("record"), of: .server, number: 2))
    #expect(ValueName("api.key") == ValueScope("api").name(.key))
    #expect(ValueName("proxy.message.1") == ValueScope().part("proxy").name(ValueKind("message"), number: 1))
    #expect(ValueName("first.dh_p").bare == ValueName(ValueKind("dh_p")))
    #expect(ValueName("a.client_random").sibling(ValueKind("master_secret")) == "a.master_secret")
  }

  @Test("a connection contains its handshakes, and the one upstream of an interceptor")
  func contains() {
    #expect(ValueScope("first").contains("first.upstream") && ValueScope("first").contains("first.renegotiated"))
    #expect(!ValueScope("first.upstream").contains("first") && !ValueScope("first").contains("second"))
    #expect(ValueScope().contains("second") && ValueScope("first.renegotiated").connection == "first")
  }
}
