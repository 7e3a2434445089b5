import Endpoint
import Explanation
import TLS
import Testing

@Suite("Transmissions of an endpoint")
struct TransmissionTests {
  @Test("fields have positions in a shared record, and separate ones across two records")
  func places() {
    func fields(_ records: [[UInt8]]) -> [[Range<Int>]] {
      let random = RandomStreams(seed: .number(1), party: "client")
      var client = TLS.Connection(ClientConfiguration(host: "api.example", random: random))
      _ = client.start()
      let bytes = records.flatMap { Record(type: .alert, version: .tls12, fragment: $0).bytes }
      let alerts = client.receive(bytes).compactMap { effect -> Transmission? in
        if case .received(let message) = effect { Transmission(message) } else { nil }
      }
      return alerts.map { alert in
        (alert.fields + alert.layout.value.plaintextFields).map(\.range)
      }
    }
    // Two alerts after a header of five bytes, and one in two records of six.
    #expect(fields([[1, 112, 2, 40]]) == [[0..<9, 5..<7], [0..<9, 7..<9]])
    #expect(fields([[2], [40]]) == [[0..<6, 6..<12, 0..<2]])
  }
}
