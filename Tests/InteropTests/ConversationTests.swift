import Foundation
import Oracles
import Testing

/// Responses of a `serve` server to a client that violates RFC 5246, over real sockets. The expected alerts come from
/// the RFC; if it names none, RFC 8446 section 6.2 applies.
@Suite("Conversations that break the rules", .needs(.python, .curl))
struct ConversationTests {
  /// One violation by a client: the Python code that sends it, and the expected alert.
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let says: String
    let alert: String
    var testDescription: String { name }

    init(_ name: String, _ says: String, _ alert: String) { (self.name, self.says, self.alert) = (name, says, alert) }
  }

  /// Instead of a ClientHello, or with one that is damaged.
  static let first: [Fault] = [
    Fault("Finished first: section 7.3", "handshake(20, bytes(12))", "unexpected_message"),
    Fault("ClientKeyExchange first", "handshake(16, bytes(33))", "unexpected_message"),
    Fault("a server's message from a client", "handshake(2, bytes(38))", "unexpected_message"),
    Fault("application data first: section 10", "record(23, b'GET / HTTP/1.1')", "unexpected_message"),
    Fault("ChangeCipherSpec first: section 7.1", "record(20, b'\\x01')", "unexpected_message"),
    Fault("an empty ClientHello: section 7.2.2", "handshake(1, b'')", "decode_error"),
    Fault("bytes after the extensions", "hello(tail=b'\\0')", "decode_error"),
    Fault(
      "an extension that is longer than its list", "hello(extensions=b'\\0\\x05\\0\\x17\\0\\xff\\0')", "decode_error"),
    Fault("no cipher suites", "hello(suites=b'')", "decode_error"),
    Fault("half a cipher suite", "hello(suites=b'\\xc0\\x2f\\0')", "decode_error"),
    Fault("null compression is missing: section 7.4.1.2", "hello(compressions=b'\\x01')", "illegal_parameter"),
    Fault("a session_id of 33 bytes", "hello(session=bytes(33))", "decode_error"),
    Fault("no suite in common: section 7.2.2", "hello(suites=b'\\x13\\x37')", "handshake_failure"),
    Fault(
      "neither a common group nor a suite without groups: RFC 8422 section 5.1", "hello(groups=b'\\x44\\x44')",
      "handshake_failure"),
    Fault("SSL 3.0: appendix E.2", "hello(version=b'\\3\\0')", "protocol_version"),
    Fault(
      "a record of 2^14 + 1 bytes: section 6.2.1", "record(22, b'\\1\\0\\x50\\0' + bytes(16381))", "record_overflow"),
    Fault("an unknown message type", "handshake(99, b'')", "unexpected_message"),
  ]

  /// After the server's first flight.
  static let later: [Fault] = [
    Fault("a second ClientHello: section 7.4.1", "hello()", "unexpected_message"),
    Fault("ChangeCipherSpec without ClientKeyExchange: section 7.4.7", "record(20, b'\\1')", "unexpected_message"),
    Fault("Finished without ChangeCipherSpec: section 7.4.9", "key() + handshake(20, bytes(12))", "unexpected_message"),
    Fault("ClientKeyExchange twice", "key() + key()", "unexpected_message"),
    Fault("CertificateVerify without a certificate", "key() + handshake(15, b'\\4\\1\\0\\0')", "unexpected_message"),
    Fault("a certificate that was not requested: section 7.4.6", "handshake(11, bytes(3))", "unexpected_message"),
    Fault("unprotected application data", "record(23, b'GET / HTTP/1.1')", "unexpected_message"),
    Fault("an unknown record type: section 6", "record(99, b'x')", "unexpected_message"),
    Fault(
      "a public key that is too short: RFC 8422 section 5.7", "handshake(16, b'\\x1f' + bytes(31))", "illegal_parameter"
    ),
    Fault(
      "a public key that makes the secret zero: section 5.11", "handshake(16, b'\\x20' + bytes(32))",
      "illegal_parameter"),
    Fault("a wrong length of the key", "handshake(16, b'\\x21' + bytes(32))", "decode_error"),
    Fault("an empty ClientKeyExchange", "handshake(16, b'')", "decode_error"),
    Fault(
      "a ChangeCipherSpec of 2, which is out of range: section 7.2.2", "key() + record(20, b'\\2')", "decode_error"),
    Fault("an empty ChangeCipherSpec: RFC 8446 section 5.4", "key() + record(20, b'')", "unexpected_message"),
    Fault("an unprotected Finished", "key() + record(20, b'\\1') + record(22, bytes(40))", "bad_record_mac"),
    Fault(
      "a protected record that is too short", "key() + record(20, b'\\1') + record(22, bytes(4))", "bad_record_mac"),
    Fault(
      "a protected record of 2^14 + 2049 bytes: section 6.2.3", "key() + record(20, b'\\1') + record(22, bytes(18433))",
      "record_overflow"),
    Fault(
      "a change of keys within a message: RFC 8446 section 5.1", "record(22, key()[5:9]) + record(20, b'\\1')",
      "unexpected_message"),
  ]

  /// Allowed behavior, which causes no alert.
  static let allowed: [Fault] = [
    Fault("a valid ClientHello", "hello()", "ServerHello"),
    Fault(
      "in records of one byte: section 6.2.1", "b''.join(record(22, bytes([b])) for b in hello()[5:])", "ServerHello"),
    Fault("unknown extensions: section 7.4.1.4", "hello(extra=b'\\x44\\x44\\0\\2hi')", "ServerHello"),
    Fault("unknown suites", "hello(suites=b'\\x0a\\x0a\\xc0\\x2f\\x0a\\x1a')", "ServerHello"),
    Fault("a future version: appendix E.1", "hello(version=b'\\3\\x7f')", "ServerHello"),
    Fault("any version of the record: appendix E.1", "record(22, hello()[5:], b'\\3\\0')", "ServerHello"),
  ]

  private static let program = """
    import os, socket, sys
    names = {10: 'unexpected_message', 20: 'bad_record_mac', 22: 'record_overflow', 40: 'handshake_failure',
             47: 'illegal_parameter', 50: 'decode_error', 70: 'protocol_version'}
    def record(kind, content, version=b'\\3\\3'): return bytes([kind]) + version + len(content).to_bytes(2, 'big') + content
    def handshake(kind, body): return record(22, bytes([kind]) + len(body).to_bytes(3, 'big') + body)
    def vector(size, content): return len(content).to_bytes(size, 'big') + content
    def hello(version=b'\\3\\3', session=b'', suites=b'\\xc0\\x2f', compressions=b'\\0', groups=b'\\0\\x1d', extra=b'',
              extensions=None, tail=b''):
        host = vector(2, b'\\0' + vector(2, b'api.example'))
        own = (b'\\0\\0' + vector(2, host) + b'\\0\\x0a' + vector(2, vector(2, groups))
               + b'\\0\\x0b\\0\\2\\1\\0' + b'\\0\\x0d\\0\\4\\0\\2\\4\\1' + extra)
        return handshake(1, version + bytes(range(32)) + vector(1, session) + vector(2, suites) + vector(1, compressions)
                         + (extensions if extensions is not None else vector(2, own)) + tail)
    def key(): return handshake(16, b'\\x20' + b'\\x09' + bytes(31))
    def take(peer, count):
        got = b''
        while len(got) < count:
            more = peer.recv(count - len(got))
            if not more: raise EOFError
            got += more
        return got
    def read(peer):
        head = take(peer, 5)
        return head[0], take(peer, head[3] << 8 | head[4])
    for line in sys.stdin:
        late, says = line.rstrip('\\n').split('\\t')
        peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=10)
        try:
            if late == '1':
                peer.sendall(hello())
                while True:
                    kind, content = read(peer)
                    if kind == 22 and content[0] == 14: break
            peer.sendall(eval(says))
            kind, content = read(peer)
            if kind == 21: print(names.get(content[1], content[1]) if content[0] == 2 else 'a warning')
            else: print('ServerHello' if kind == 22 and content[0] == 2 else 'a record of %d' % kind)
        except EOFError: print('the end')
        except OSError as error: print(error)
        peer.close()
    """

  @Test("each violation has its alert, and allowed behavior gets a response")
  func alerts() throws {
    let server = try ServingProgram("L1-14", options: ["--timeout", "5"])
    let port = try #require(server.ports["api.example"])
    let faults = (Self.first + Self.allowed).map { ("0", $0) } + Self.later.map { ("1", $0) }
    let folder = try Program.folder(["client.py": Data(Self.program.utf8)])
    let output = Command.output(
      [try #require(Python.interpreter()), folder.appendingPathComponent("client.py").path, "\(port)"],
      input: faults.map { "\($0.0)\t\($0.1.says)\n" }.joined())
    let answers = (output ?? "").split(separator: "\n").map(String.init)
    #expect(answers.count == faults.count)
    for (fault, answer) in zip(faults, answers) { #expect(answer == fault.1.alert, "\(fault.1.name)") }
    // After any violation, the next client is served.
    #expect(server.curl("api.example") == (0, "hello"))
    #expect(try server.stop().status == 0)
  }
}
