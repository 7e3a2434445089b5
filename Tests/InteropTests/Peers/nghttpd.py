"""nghttpd on a free port: nghttpd.py FOLDER ROOT. The certificate and key are in FOLDER, and the files in ROOT."""

import os
import socket
import sys
import time

folder, root = sys.argv[1:]
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
# The child reports the port, so that the process to end is nghttpd.
if os.fork():
    identity = [f"{folder}/key.pem", f"{folder}/cert.pem"]
    os.execvp("nghttpd", ["nghttpd", "-a", "127.0.0.1", "-d", root, str(port)] + identity)
while True:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        break
    except OSError:
        time.sleep(0.02)
print("ACCEPT 127.0.0.1:%d" % port)
