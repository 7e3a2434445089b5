import Foundation
import Oracles
import Rendering
import Testing

@Suite("WebSocket clients")
struct WebSocketClientTests {
  @Test(
    "another client opens a WebSocket, gets Pong and Close, and an error for unsupported data",
    .needs(.websockets))
  func conversation() throws {
    let server = try ServingProgram("L1-14")
    let port = try #require(server.ports["api.example"])
    let python = try #require(Python.interpreter(having: "websockets"))
    let said = Command.output([python, "-c", Self.client, "\(port)", server.path("roots.pem")])
    // RFC 6455: 1000 answers 1000, section 7.1.5; data of a kind that is not accepted is 1003, section 7.4.1.
    #expect(said == "pong\nclosed 1000\nclosed 1003\n")
    let (status, connections) = try server.stop()
    #expect(status == 0)
    #expect(connections.map { $0.text("ending") } == ["served", "served"])
    #expect(connections.map { $0["requests"]?.items?.first?.text("status") } == ["101", "101"])
  }

  private static let client = """
    import asyncio, ssl, sys, websockets

    async def opened():
        context = ssl.create_default_context(cafile=sys.argv[2])
        place = {"host": "127.0.0.1", "server_hostname": "api.example"}
        return await websockets.connect(f"wss://api.example:{sys.argv[1]}/socket", ssl=context, **place)

    async def main():
        socket = await opened()
        await (await socket.ping())
        print("pong")
        await socket.close()
        print("closed", socket.close_code)
        socket = await opened()
        await socket.send("a" * 70000)
        await socket.wait_closed()
        print("closed", socket.close_code)

    asyncio.run(asyncio.wait_for(main(), 20))
    """
}
