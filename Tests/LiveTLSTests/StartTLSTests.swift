import Testing

@testable import LiveTLS

@Suite("The lines before TLS")
struct StartTLSTests {
  private func answers(_ carrier: StartTLS.Carrier, _ text: String) -> [StartTLS.Answer] {
    var conversation = StartTLS(carrier)
    return text.utf8.flatMap { conversation.receive([$0]) }
  }

  @Test("SMTP: greeting, EHLO, STARTTLS, and TLS begins")
  func smtp() {
    #expect(
      answers(.smtp, "220-hello\r\n220 ready\r\n250-mail\r\n250 StartTLS\r\n220 go\r\n") == [
        .send("EHLO trustlab.invalid\r\n"), .send("STARTTLS\r\n"), .begins,
      ])
  }

  @Test("IMAP: greeting, STARTTLS, and TLS begins; lines in between are ignored")
  func imap() {
    #expect(answers(.imap, "* OK ready\n* CAPABILITY IMAP4\na1 ok go\n") == [.send("a1 STARTTLS\r\n"), .begins])
  }

  @Test("a server that does not offer TLS, refuses it or sends other lines is reported")
  func refused() {
    for line in ["SIZE", "STARTTLSX", "X-STARTTLS"] {
      #expect(answers(.smtp, "220 a\n250 \(line)\n").last?.refusal?.contains("STARTTLS") == true)
    }
    #expect(answers(.smtp, "220 a\n250 STARTTLS now\n").last == .send("STARTTLS\r\n"))
    #expect(answers(.smtp, "554 go away\u{7}\n") == [.refused("it responds with '554 go away?'")])
    #expect(answers(.imap, "* OK a\na1 NO not today\n").last == .refused("it responds with 'a1 NO not today'"))
  }

  @Test("plaintext after the server's agreement is ignored (RFC 3207 section 4.2)")
  func injected() {
    var conversation = StartTLS(.imap)
    #expect(conversation.receive(Array("* OK a\n".utf8)) == [.send("a1 STARTTLS\r\n")])
    let answers = conversation.receive(Array("a1 OK go\r\na2 OK injected\r\n".utf8))
    #expect(answers.count == 1 && answers.last?.refusal?.contains("TLS") == true)
  }

  @Test("the lines before TLS have a limit")
  func endless() {
    var conversation = StartTLS(.smtp)
    let line = [UInt8](repeating: 97, count: StartTLS.limit)
    #expect(conversation.receive(line) == [])
    #expect(conversation.receive([97]).first != nil)
  }
}

extension StartTLS.Answer {
  /// The reason why the server is refused, or nil.
  fileprivate var refusal: String? { if case .refused(let reason) = self { reason } else { nil } }
}
