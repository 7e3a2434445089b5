import Endpoint
import Explanation
import TLS

/// How an attacker changes a message on its way.
public enum Alteration: Sendable, Hashable, CustomStringConvertible {
  /// One bit of the records' content, counted from 0.
  case flip(bit: Int)
  /// The bytes of the first field of this name, by others; short ones are repeated.
  case field(String, [UInt8])
  /// Text in a plain HTTP message, by other text.
  case text([String: String])
  /// A ClientHello that no longer offers these suites.
  case without([CipherSuite])

  /// What is changed, in a few words.
  public var description: String {
    switch self {
    case .flip(let bit): "bit \(bit) is flipped"
    case .field(let name, _): "\(name) is replaced"
    case .text(let pairs):
      pairs.sorted { $0.key < $1.key }.map { "'\($0.key)' becomes '\($0.value)'" }.joined(separator: ", ")
    case .without(let suites): suites.count == 1 ? "without \(suites[0].name)" : "\(suites.count) suites are removed"
    }
  }

  /// The message as it arrives; nil when there is nothing in it to change.
  func applied(to transmission: Transmission) -> Transmission? {
    switch self {
    case .flip(let bit): flipped(bit, in: transmission)
    case .field(let name, let bytes): replaced(name, by: bytes, in: transmission)
    case .text(let pairs): rewritten(pairs, transmission)
    case .without(let suites): reduced(by: suites, transmission)
    }
  }

  private func flipped(_ bit: Int, in transmission: Transmission) -> Transmission? {
    let start = transmission.message == nil ? 0 : Record.headerLength
    let index = start + bit / 8
    guard bit >= 0, transmission.bytes.indices.contains(index) else { return nil }
    var bytes = transmission.bytes
    bytes[index] ^= 1 << UInt8(7 - bit % 8)
    return transmission.altered(to: bytes, fields: transmission.fields)
  }

  private func replaced(_ name: String, by replacement: [UInt8], in transmission: Transmission) -> Transmission? {
    let range = transmission.fields.lazy.compactMap { $0.first(name)?.range }.first
    guard let range, !range.isEmpty, !replacement.isEmpty, range.upperBound <= transmission.bytes.count,
      !transmission.isProtected
    else { return nil }
    var bytes = transmission.bytes
    for (offset, index) in range.enumerated() { bytes[index] = replacement[offset % replacement.count] }
    guard bytes != transmission.bytes else { return nil }
    return transmission.altered(to: bytes, fields: transmission.fields)
  }

  private func rewritten(_ pairs: [String: String], _ transmission: Transmission) -> Transmission? {
    guard transmission.message == nil else { return nil }
    let bytes = HTTP.replacing(pairs, in: transmission.bytes)
    guard bytes != transmission.bytes else { return nil }
    return transmission.altered(to: bytes, fields: HTTP.fields(of: bytes))
  }

  /// The record keeps its header but for the length: RFC 5246 section 6.2.1.
  private func reduced(by suites: [CipherSuite], _ transmission: Transmission) -> Transmission? {
    guard case .handshake(let message) = transmission.message?.content, case .clientHello(var hello) = message.body,
      let version = transmission.message?.records.first?.version
    else { return nil }
    let kept = hello.cipherSuites.filter { !suites.contains($0) }
    guard kept.count < hello.cipherSuites.count, !kept.isEmpty else { return nil }
    hello.cipherSuites = kept
    guard let reduced = try? HandshakeMessage(.clientHello(hello)) else { return nil }
    let record = Record(type: .handshake, version: version, fragment: reduced.bytes)
    return transmission.altered(
      to: record.bytes, fields: [record.field, reduced.field.shifted(by: Record.headerLength)])
  }
}
