#!/usr/bin/env python3
"""Compares 'trustlab serve' with 'openssl s_server': handshakes per second over loopback, with 'openssl s_time' as client.

usage: live_handshakes.py [--program .build/release/trustlab] [--seconds 5] [--rounds 5] [--clients 1]

Both servers use TLS 1.2 with the same ECDSA P-256 key and chain, one suite and one group. Each full handshake is a new
session; resumed handshakes use the session ID. The rounds of the two servers alternate. The best round of each counts,
because other work on the machine can only slow it down. One client and the server wait for each other, and a third of
the time is spent waking up. Several clients show the full speed of a server.
"""

import argparse
import os
import re
import socket
import subprocess
import tempfile
import time

SUITE = ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256")
SCENARIO = f"""title: A server to be measured
sources: [Benchmarks/live_handshakes.py]
authorities:
  Root A: {{ trust: system, key: ec-p256 }}
  Issuing: {{ issuer: Root A, pathLength: 0, key: ec-p256 }}
certificates:
  api: {{ issuer: Issuing, names: [api.example], key: ec-p256 }}
server:
  versions: [TLSv1.2]
  cipherSuites: [{SUITE[0]}]
  groups: [secp256r1]
  sessions: resumable
"""


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nobody listens on port {port}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def rate(port, kind, seconds, clients=1):
    """Returns connections per second of real time, measured here because s_time counts whole seconds."""
    command = ["openssl", "s_time", "-connect", f"127.0.0.1:{port}", kind, "-time", str(seconds), "-tls1_2", "-cipher",
               SUITE[1]]
    started = time.monotonic()
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for _ in range(clients)]
    total = 0
    for said in [client.communicate()[0] for client in running]:
        counts = re.findall(r"(\d+) connections in \d+ real seconds", said)
        if not counts:
            raise SystemExit(f"openssl s_time: {said}")
        total += int(counts[-1])
    return total / (time.monotonic() - started)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=".build/release/trustlab")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scenario = os.path.join(folder, "measured.yaml")
        with open(scenario, "w") as file:
            file.write(SCENARIO)
        pki = os.path.join(folder, "pki")
        subprocess.run([arguments.program, "pki", "export", scenario, "--now", "--output", pki], check=True,
                       capture_output=True)
        ours, theirs = free_port(), free_port()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        servers = [
            subprocess.Popen([arguments.program, "serve", scenario, "--now", "--port", str(ours)], **quiet),
            subprocess.Popen(
                ["openssl", "s_server", "-accept", str(theirs), "-cert", os.path.join(pki, "api.pem"), "-cert_chain",
                 os.path.join(pki, "Issuing.pem"), "-key", os.path.join(pki, "api.key.pem"), "-tls1_2", "-no_ticket",
                 "-cipher", SUITE[1], "-curves", "P-256", "-quiet", "-www"], **quiet),
        ]
        try:
            for port in (ours, theirs):
                wait_for(port)
            for kind, name in (("-new", "full"), ("-reuse", "resumed")):
                best = {ours: 0.0, theirs: 0.0}
                for _ in range(arguments.rounds):
                    for port in best:
                        best[port] = max(best[port], rate(port, kind, arguments.seconds, arguments.clients))
                print(f"{name:8} trustlab serve {best[ours]:7.0f}/s   openssl s_server {best[theirs]:7.0f}/s   "
                      f"{best[ours] / best[theirs]:.2f}")
        finally:
            for server in servers:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    main()
