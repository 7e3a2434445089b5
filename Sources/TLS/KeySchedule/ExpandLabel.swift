import Cryptography
import Explanation

/// HKDF-Expand-Label and Derive-Secret (RFC 8446 section 7.1).
///
/// ```
/// struct { uint16 length; opaque label<7..255> = "tls13 " + Label; opaque context<0..255>; } HkdfLabel;
/// ```
///
/// HKDF-Expand-Label expands a secret with this structure as the info.
///
/// ```
/// Derive-Secret(Secret, Label, Messages) = HKDF-Expand-Label(Secret, Label, Hash(Messages), Hash.length)
/// ```
public struct ExpandLabel: Sendable, Hashable {
  /// The hash of the cipher suite, or of the pre-shared key.
  public let hash: Hash

  /// Creates the functions with this hash.
  public init(_ hash: Hash) { self.hash = hash }

  /// The encoded HkdfLabel. Its length fields have the low bits of a number that is too large.
  public static func info(_ label: String, context: [UInt8], count: Int) -> [UInt8] {
    let prefix = "tls13 ".utf8
    let labelLength = prefix.count + label.utf8.count
    var info: [UInt8] = []
    info.reserveCapacity(labelLength + context.count + 5)
    for byte in [count >> 8, count, labelLength] { info.append(UInt8(truncatingIfNeeded: byte)) }
    info.append(contentsOf: prefix)
    info.append(contentsOf: label.utf8)
    info.append(UInt8(truncatingIfNeeded: context.count))
    info.append(contentsOf: context)
    return info
  }

  /// HKDF-Expand-Label(`secret`, `label`, `context`, `count`) for any label, as the exporter needs it.
  ///
  /// Nil for more bytes than 255 digests have, and for a label or context that is too long.
  public func output(_ secret: [UInt8], _ label: String, context: [UInt8] = [], count: Int) -> [UInt8]? {
    guard label.utf8.count <= 249, context.count <= 255 else { return nil }
    return HKDF.expand(hash, key: secret, info: Self.info(label, context: context, count: count), count: count)
  }

  /// HKDF-Expand-Label with a label of RFC 8446; as long as a digest if `count` is nil.
  func output(
    _ secret: [UInt8], _ label: Method.ExpandLabel, context: [UInt8] = [], count: Int? = nil
  ) -> [UInt8] {
    output(secret, label.rawValue, context: context, count: count ?? hash.digestSize) ?? []
  }

  /// Derive-Secret(`secret`, `label`, Messages), from the hash of the messages.
  func secret(_ secret: [UInt8], _ label: Method.ExpandLabel, transcriptHash: [UInt8]) -> [UInt8] {
    output(secret, label, context: transcriptHash)
  }

  /// HKDF-Extract(`salt`, `secret`). A missing secret is zeros (section 7.1).
  func extract(salt: [UInt8], _ secret: [UInt8]?) -> [UInt8] {
    HKDF.extract(hash, salt: salt, secret ?? [UInt8](repeating: 0, count: hash.digestSize))
  }
}
