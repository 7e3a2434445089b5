import Explanation
import Testing

@testable import TLS

@Suite("The order of messages in TLS 1.3")
struct Order13Tests {
  private typealias Step = (sender: Side, message: HandshakeType)

  private static let full: [Step] = [
    (.client, .clientHello), (.server, .serverHello), (.server, .encryptedExtensions), (.server, .certificateRequest),
    (.server, .certificate), (.server, .certificateVerify), (.server, .finished), (.client, .certificate),
    (.client, .certificateVerify), (.client, .finished),
  ]
  private static let retried: [Step] =
    [(.client, .clientHello), (.server, .helloRetryRequest), (.client, .clientHello)] + full.dropFirst()

  /// Follows the steps; returns the order at their end, or nil if one of them is unexpected.
  private func followed(_ steps: [Step]) -> MessageOrder13? {
    var order = MessageOrder13()
    for (sender, message) in steps {
      guard order.advance(past: message, from: sender) else { return nil }
      switch (sender, message) {
      case (.server, .helloRetryRequest): order.terms.insert(.retry)
      case (.server, .serverHello): order.terms.insert(.authentication)
      case (.server, .certificateRequest): order.terms.insert(.request)
      case (.client, .certificate): order.terms.insert(.clientCertificate)
      default: break
      }
    }
    return order
  }

  private func isComplete(_ steps: [Step]) -> Bool {
    followed(steps).map { order in Side.allCases.allSatisfy { order.isComplete($0) } } ?? false
  }

  @Test("a complete handshake is expected step by step, and its sides alternate")
  func complete() {
    for steps in [Self.full, Self.retried] {
      #expect(isComplete(steps))
      for (index, step) in steps.enumerated() {
        let order = followed(Array(steps.prefix(index)))
        #expect(order?.sender == step.sender, "\(index)")
        #expect(order?.expected(from: step.sender).contains(step.message) == true)
      }
      #expect(followed(steps)?.sender == nil)
    }
    let withoutRequest = Self.full.filter { sender, message in
      sender == .server ? message != .certificateRequest : [.clientHello, .finished].contains(message)
    }
    #expect(isComplete(withoutRequest))
  }

  @Test("no message may be absent, come twice, or change places with the next one of its side")
  func disorder() {
    for steps in [Self.full, Self.retried] {
      for index in steps.indices where steps[index].message != .helloRetryRequest {
        var (without, twice, swapped) = (steps, steps, steps)
        without.remove(at: index)
        #expect(!isComplete(without), "\(steps[index]) is absent")
        twice.insert(steps[index], at: index)
        #expect(followed(twice) == nil, "\(steps[index]) comes twice")
        guard index + 1 < steps.count, steps[index].sender == steps[index + 1].sender else { continue }
        swapped.swapAt(index, index + 1)
        #expect(!isComplete(swapped), "\(steps[index]) is late")
      }
    }
  }

  @Test("after the handshake, only tickets, key updates and requests that the client permits follow")
  func afterwards() throws {
    var order = try #require(followed(Self.full))
    #expect(order.expected(from: .server) == [.newSessionTicket, .keyUpdate])
    #expect(order.expected(from: .client) == [.keyUpdate])
    order.terms.insert(.postHandshakeAuthentication)
    let isRequested = order.advance(past: .certificateRequest, from: .server)
    #expect(isRequested && order.expected(from: .client) == [.certificate, .compressedCertificate, .keyUpdate])
    let isAnswered = order.advance(past: .keyUpdate, from: .client) && order.advance(past: .certificate, from: .client)
    #expect(isAnswered && order.expected(from: .client) == [.finished])
    let isFinished = order.advance(past: .finished, from: .client)
    #expect(isFinished && order.expected(from: .client) == [.keyUpdate])
  }

  @Test("early data ends with EndOfEarlyData before anything else of the client")
  func earlyData() throws {
    var order = try #require(followed(Array(Self.full.prefix(2))))
    order.terms = [.earlyData]
    let isAccepted =
      order.advance(past: .encryptedExtensions, from: .server) && order.advance(past: .finished, from: .server)
    #expect(isAccepted && order.expected(from: .client) == [.endOfEarlyData])
    let isEarly = order.advance(past: .finished, from: .client)
    let isOrderly =
      order.advance(past: .endOfEarlyData, from: .client) && order.advance(past: .finished, from: .client)
    #expect(!isEarly && isOrderly)
  }
}
