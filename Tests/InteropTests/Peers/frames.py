"""A server that selects h2 and sends frames, whatever the client sends: frames.py FOLDER FRAMES THEN SETTINGS

FRAMES is an expression for the bytes, THEN a statement that runs after them, and SETTINGS a statement about the context.
"""

import socket
import ssl
import sys
import time  # for THEN


def frame(kind, flags, stream, body):
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


settings = frame(4, 0, 0, b"")
folder, frames, then, about = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
context.set_alpn_protocols(["h2"])
exec(about)
listener = socket.create_server(("127.0.0.1", 0))
print("ACCEPT 127.0.0.1:%d" % listener.getsockname()[1])
while True:
    peer, _ = listener.accept()
    try:
        tls = context.wrap_socket(peer, server_side=True)
        tls.recv(4096)
        tls.sendall(eval(frames))
        exec(then)
        tls.unwrap()
    except OSError:
        pass
