import Cryptography
import Explanation
import TLS

// The ciphers of records. Before a command is shown, its result is compared with the run.
extension Reproduction {
  /// Returns the command that decrypts a record. The command does not authenticate the record.
  func opening(_ value: Value, _ inputs: [[UInt8]], after offset: Int) -> ShellCommand? {
    guard let key = inputs.first, let record = inputs.last, record.count > Record.headerLength else { return nil }
    let fragment = Array(record.dropFirst(Record.headerLength))
    switch (inputs.count, inputs.count == 3 ? inputs[1].count : 0) {
    case (2, _): return streamOpening(value, key, fragment, after: offset)
    case (3, 8), (3, 16): return chainedOpening(value, key, iv: inputs[1], fragment)
    default: return counterOpening(value, inputs)
    }
  }

  /// Returns the command for RC4, whose key stream continues from record to record.
  private func streamOpening(
    _ value: Value, _ key: [UInt8], _ fragment: [UInt8], after offset: Int
  ) -> ShellCommand? {
    guard var cipher = try? RC4(key: key) else { return nil }
    cipher.skip(offset)
    guard Array(cipher.process(fragment).prefix(value.bytes.count)) == value.bytes else { return nil }
    return ShellCommand(
      ["python3 -c \"k=bytes.fromhex('"] + hex(key) + ["');", "c=bytes.fromhex('"]
        + hex(Array(fragment.prefix(value.bytes.count)))
        + [
          "');", "S=list(range(256));", "x=lambda a,b,t:", "(S.__setitem__(a,S[b]),", "S.__setitem__(b,t));", "j=0;",
          "[(j:=(j+S[i]+k[i%len(k)])%256,", "x(i,j,S[i]))", "for i in range(256)];", "j=0;",
          "s=[(j:=(j+S[i%256])%256,", "x(i%256,j,S[i%256]),", "S[(S[i%256]+S[j])%256])[2]",
          "for i in range(1,\(offset + value.bytes.count + 1))];", "print(bytes(a^b for a,b in ",
          "zip(c,s[\(offset):])).hex())\"",
        ])
  }

  /// Returns the command for a CBC cipher of TLS 1.0. Its initialization vector is the last block of the previous
  /// record, which everyone can see.
  private func chainedOpening(
    _ value: Value, _ key: [UInt8], iv: [UInt8], _ fragment: [UInt8]
  ) -> ShellCommand? {
    let isAES = iv.count == 16
    let blocks = Array(fragment.prefix(fragment.count / iv.count * iv.count))
    let opened =
      isAES
      ? try? AESCBC.decrypt(blocks, key: key, iv: iv) : try? TripleDESCBC.decrypt(blocks, key: key, iv: iv)
    guard let opened, opened.starts(with: value.bytes) else { return nil }
    return ShellCommand(
      ["python3 -c \"import subprocess;", "h=bytes.fromhex;", "print(subprocess.run(", "['openssl','enc','-d',"]
        + [isAES ? "'-aes-\(key.count * 8)-cbc'," : "'-des-ede3-cbc',", "'-nopad',", "'-K',h('"] + hex(key)
        + ["').hex(),", "'-iv',h('"] + hex(iv) + ["').hex()],", "input=h('"] + hex(blocks)
        + ["'),", "capture_output=True)", ".stdout[:\(value.bytes.count)].hex())\""])
  }

  /// Returns the command for AES-GCM. Its key stream is that of counter mode from counter 2 (NIST SP 800-38D section
  /// 7.1).
  private func counterOpening(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard inputs.count == 3, inputs[2].count > Record.headerLength + 16 else { return nil }
    let (key, iv) = (inputs[0], inputs[1])
    let sealed = inputs[2].dropFirst(Record.headerLength).dropLast(16)
    guard iv.count == 4, sealed.count == value.bytes.count + 8 else { return nil }
    let start = iv + sealed.prefix(8) + [0, 0, 0, 2]
    return ShellCommand(
      ["python3 -c \"import subprocess;", "h=bytes.fromhex;", "print(subprocess.run(", "['openssl','enc','-d',"]
        + ["'-aes-\(key.count * 8)-ctr',", "'-K',h('"] + hex(key) + ["').hex(),", "'-iv',h('"] + hex(start)
        + ["').hex()],", "input=h('"] + hex(Array(sealed.dropFirst(8)))
        + ["'),", "capture_output=True)", ".stdout.hex())\""])
  }
}
