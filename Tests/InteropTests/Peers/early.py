"""openssl s_server that accepts 1000 bytes of early data, and responds once: early.py FOLDER"""

import socket
import subprocess
import sys

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
server = subprocess.Popen(
    ["openssl", "s_server", "-accept", "127.0.0.1:%d" % port, "-early_data", "-max_early_data", "1000", "-naccept", "1"]
    + ["-cert", "cert.pem", "-key", "key.pem"],
    cwd=sys.argv[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
line = b""
# s_server prints this line when it listens, and the request when it arrives.
while not line.startswith(b"ACCEPT"):
    line = server.stdout.readline()
print("ACCEPT 127.0.0.1:%d" % port)
while not line.startswith(b"GET "):
    line = server.stdout.readline()
server.stdin.write(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi")
server.stdin.close()
server.wait()
