import Explanation
import TLS

extension Reproduction {
  /// AES-128-CBC under the second part of the key: the master secret stands behind version, suite and compression method
  /// (RFC 5077 section 4).
  func ticketOpening(_ inputs: [[UInt8]]) -> ShellCommand? {
    guard inputs.count == 2, inputs[0].count == SessionTicketKey.count, inputs[1].count > 66 else { return nil }
    let (key, iv) = (Array(inputs[0][16..<32]), Array(inputs[1][16..<32]))
    return ShellCommand(
      ["python3 -c \"import subprocess;", "h=bytes.fromhex;", "print(subprocess.run(", "['openssl','enc','-d',"]
        + ["'-aes-128-cbc','-nopad',", "'-K',h('"] + hex(key) + ["').hex(),", "'-iv',h('"] + hex(iv)
        + ["').hex()],", "input=h('"] + hex(Array(inputs[1][34...].dropLast(32)))
        + ["'),", "capture_output=True)", ".stdout[5:53].hex())\""])
  }
}
