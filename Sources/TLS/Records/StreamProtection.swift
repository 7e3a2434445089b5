import Cryptography

/// GenericStreamCipher (RFC 5246 section 6.2.3.1): content and MAC, encrypted with RC4 or not encrypted.
///
/// ```
/// RC4_128:  encrypted(content | MAC(content))          NULL:  content | MAC(content)
/// ```
///
/// The key stream continues from record to record. Without a cipher, records have integrity but no confidentiality.
struct StreamProtection {
  private let keys: RecordKeys
  private let hash: Hash

  /// A function that returns the authenticated data before the content, for the content's length.
  typealias Header = (Int) -> [UInt8]

  init(_ keys: RecordKeys) {
    self.keys = keys
    hash = keys.mac.hash ?? .sha1
  }

  func protect(_ plaintext: [UInt8], _ stream: inout RC4?, _ header: Header) -> [UInt8] {
    let content = plaintext + code(plaintext, header)
    return stream?.process(content) ?? content
  }

  func open(_ fragment: [UInt8], _ stream: inout RC4?, _ header: Header) -> OpenedContent {
    let content = stream?.process(fragment) ?? fragment
    guard content.count >= hash.digestSize else { return .nothing }
    let plaintext = Array(content.dropLast(hash.digestSize))
    let difference = ConstantTime.difference(content.suffix(hash.digestSize), code(plaintext, header))
    return OpenedContent(plaintext, isAuthentic: difference == 0)
  }

  private func code(_ content: [UInt8], _ header: Header) -> [UInt8] {
    keys.code(hash, header(content.count), content)
  }
}
