import Explanation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Private keys in a directory, one PEM file each.
///
/// A file is only as good as its check: its first line names the label it was made for, its numbers must belong
/// together, and whatever is missing, damaged or meant for another label is as if it were not there.
struct KeyFiles: Sendable {
  let directory: String

  /// The key kept for `label`, when there is one that passes its checks.
  func key(_ label: String) -> RSAPrivateKey? {
    guard let bytes = read(path(label)), let text = String(validating: bytes, as: UTF8.self),
      text.hasPrefix(caption(label)), case .rsa(let key) = try? PrivateKey(pem: text)
    else { return nil }
    return key
  }

  /// Keeps `key` for `label`; a disk that does not take it only means that the key will be made again.
  func keep(_ key: RSAPrivateKey, _ label: String) throws(RSAError) {
    let text = caption(label) + PEM.encode("PRIVATE KEY", try key.pkcs8)
    mkdir(directory, 0o700)
    write(Array(text.utf8), to: path(label))
  }

  /// The label itself may hold anything, so that the file is called by its hash.
  private func path(_ label: String) -> String {
    "\(directory)/\(Hex.string(Hash.sha256.digest(Array(label.utf8)).prefix(16))).pem"
  }

  /// The number is that of the way keys are made: a new way makes new keys.
  private func caption(_ label: String) -> String { "TrustLab key 1 \(Hex.string(Array(label.utf8)))\n" }

  private func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    // A key of 8192 bits takes less than 8 KiB.
    return [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }

  /// Written beside its place and moved there, so that nobody reads half a key.
  private func write(_ bytes: [UInt8], to path: String) {
    let unfinished = "\(path).\(getpid())"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0, let file = fdopen(descriptor, "wb") else { return }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count, rename(unfinished, path) == 0 else {
      unlink(unfinished)
      return
    }
  }
}
