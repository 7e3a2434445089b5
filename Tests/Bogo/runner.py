#!/usr/bin/env python3
"""Plays the runner's side of BoGo against trustlab-bogo, with OpenSSL as the peer.

Usage: runner.py SHIM [NAME …]

BoringSSL's runner is a separate program with thousands of tests. This one has a few dozen, and needs only Python: each
starts the shim as the runner does, checks the shim's number, plays the other side and compares the exit status. With
names, only the tests whose names contain one of them run.
"""

import concurrent.futures
import contextlib
import pathlib
import select
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
VERSION = {1: ssl.TLSVersion.TLSv1, 11: ssl.TLSVersion.TLSv1_1, 12: ssl.TLSVersion.TLSv1_2, 13: ssl.TLSVersion.TLSv1_3}
KEYS = {
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "ec": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "ed": ["-algorithm", "Ed25519"],
}
FOLDER = pathlib.Path(tempfile.mkdtemp())
TESTS = {}


def test(function):
    TESTS[function.__name__.replace("_", "-")] = function
    return function


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout


def make_identity(kind):
    key, chain = FOLDER / f"{kind}.key", FOLDER / f"{kind}.crt"
    openssl("genpkey", *KEYS[kind], "-out", str(key))
    openssl("req", "-x509", "-key", str(key), "-subj", "/CN=test", "-days", "30", "-out", str(chain),
            "-addext", "subjectAltName=DNS:test")


def identity(kind):
    return ["-cert-file", str(FOLDER / f"{kind}.crt"), "-key-file", str(FOLDER / f"{kind}.key")]


def context(is_server, oldest=1, newest=12, kind="rsa"):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    made.set_ciphers("ALL:@SECLEVEL=0")
    made.minimum_version, made.maximum_version = VERSION[oldest], VERSION[newest]
    if is_server:
        made.load_cert_chain(FOLDER / f"{kind}.crt", FOLDER / f"{kind}.key")
        made.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    else:
        made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


def echo(connection, message=b"\x42" * 700):
    """Sends a message and checks that the shim sends it back inverted."""
    connection.sendall(message)
    answer = b""
    while len(answer) < len(message):
        part = connection.recv(1 << 14)
        assert part, "the shim closed the connection"
        answer += part
    assert answer == bytes(byte ^ 0xff for byte in message), "wrong answer"


class Shim:
    """One run of the shim, which connects to this program."""

    def __init__(self, program, flags):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(5)
        self.number = 0x0102030405060708
        port = self.listener.getsockname()[1]
        self.process = subprocess.Popen(
            [program, "-port", str(port), "-shim-id", str(self.number), *flags], stderr=subprocess.PIPE, text=True)

    def accept(self):
        connection = self.listener.accept()[0]
        connection.settimeout(5)
        number = b""
        while len(number) < 8:
            number += connection.recv(8 - len(number))
        assert struct.unpack("<Q", number)[0] == self.number, "wrong shim number"
        return connection

    def end(self, status, text=""):
        error = self.process.communicate(timeout=10)[1]
        assert self.process.returncode == status, f"status {self.process.returncode}, not {status}: {error}"
        assert text in error and bool(error) == bool(status), f"unexpected error output: {error}"


@contextlib.contextmanager
def shim(flags, status=0, text=""):
    run = Shim(PROGRAM, flags)
    try:
        yield run
        run.end(status, text)
    finally:
        run.process.kill()
        run.process.wait()
        run.listener.close()


def play(is_server, made, flags, status=0, text="", count=1, name="test", talk=echo, check=None, fails=None):
    """Plays `count` connections, each resuming the one before; `is_server` is the shim's role."""
    flags = (["-server"] if is_server else []) + flags + (["-resume-count", str(count - 1)] if count > 1 else [])
    session = None
    with shim(flags, status, text) as run:
        for number in range(count):
            raw = wrapped = run.accept()
            try:
                wrapped = made.wrap_socket(
                    raw, server_side=not is_server, server_hostname=name if is_server else None, session=session)
                if check:
                    check(wrapped, number)
                talk(wrapped)
                session = wrapped.session if is_server else None
                with contextlib.suppress(OSError, ValueError):
                    wrapped.unwrap()
            except (ssl.SSLError, AssertionError, OSError) as error:
                assert fails is not None and fails.lower().replace("_", " ") in str(error).lower().replace("_", " "), (
                    f"unexpected: {error}")
            wrapped.close()
            raw.close()


def expect_resumption(connection, number):
    assert connection.session_reused == (number > 0), f"connection {number}: resumed is {connection.session_reused}"


def for_both_roles(name, body):
    for is_server in (False, True):
        TESTS[f"{'server' if is_server else 'client'}-{name}"] = lambda role=is_server: body(role)


def own(is_server, kind="rsa"):
    return identity(kind) if is_server else []


for version, code in ((1, 769), (11, 770), (12, 771), (13, 772)):
    for_both_roles(f"version-{code}", lambda s, v=version, c=code: play(
        s, context(not s, v, v), own(s) + ["-expect-version", str(c), "-expect-extended-master-secret"]))
for suite in ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
              "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES128-SHA256", "AES128-GCM-SHA256", "AES256-SHA"):
    for_both_roles(f"cipher-{suite}", lambda s, c=suite: play(
        s, context(not s), own(s) + ["-cipher", c], check=lambda w, n: agree(w.cipher()[0] == c, w.cipher())))
for_both_roles("ec-key", lambda s: play(s, context(not s, kind="ec"), own(s, "ec")))
for_both_roles("curve", lambda s: play(s, context(not s), own(s) + ["-curves", "24", "-expect-curve-id", "24"]))
for_both_roles("wrong-curve", lambda s: play(
    s, context(not s), own(s) + ["-curves", "24", "-expect-curve-id", "23"], status=1, fails=""))
for_both_roles("ticket", lambda s: play(
    s, context(not s), own(s), count=3 if s else 2, check=expect_resumption))
for_both_roles("session-id", lambda s: play(
    s, without_tickets(context(not s)), own(s) + (["-expect-session-id"] if s else []), count=2,
    check=expect_resumption))
for_both_roles("session-miss", lambda s: play(
    s, context(not s), own(s) + ["-expect-session-miss"], count=2, status=1, fails=""))
for_both_roles("writes-first", lambda s: play(
    s, context(not s), own(s) + ["-shim-writes-first"],
    talk=lambda w: (agree(w.recv(5) == b"hello", "no hello"), echo(w))))
for_both_roles("shuts-down", lambda s: play(
    s, context(not s), own(s) + ["-shim-shuts-down", "-check-close-notify"], talk=lambda w: agree(w.recv(1) == b"", "")))
for_both_roles("unclean-end", lambda s: play(s, context(not s), own(s), talk=cut))
for_both_roles("unclean-end-checked", lambda s: play(
    s, context(not s), own(s) + ["-check-close-notify"], talk=cut, status=1))
for_both_roles("no-common-version", lambda s: play(
    s, context(not s, 1, 1), own(s) + ["-min-version", "771"], status=1, text=":", fails=""))
for_both_roles("exporter", lambda s: play(
    s, context(not s), own(s) + ["-tls-unique"],
    talk=lambda w: (agree(w.recv(12) == w.get_channel_binding("tls-unique"), "tls-unique"), echo(w))))
for_both_roles("alert", lambda s: play(
    s, context(not s), own(s) + ["-send-alert"], talk=lambda w: w.recv(1), fails="DECOMPRESSION_FAILURE"))


for_both_roles("tls13-ticket", lambda s: play(
    s, context(not s, 13, 13), own(s), count=3 if s else 2, check=expect_resumption))
for_both_roles("tls13-ec-key", lambda s: play(s, context(not s, 13, 13, kind="ec"), own(s, "ec")))
for_both_roles("tls13-session-miss", lambda s: play(
    s, context(not s, 13, 13), own(s) + ["-expect-session-miss"], count=2, status=1, fails=""))
for_both_roles("tls13-key-update", lambda s: play(
    s, context(not s, 13, 13), own(s) + ["-key-update"], talk=lambda w: [echo(w) for _ in range(3)]))
for_both_roles("tls13-writes-first", lambda s: play(
    s, context(not s, 13, 13), own(s) + ["-shim-writes-first"],
    talk=lambda w: (agree(w.recv(5) == b"hello", "no hello"), echo(w))))
for_both_roles("tls13-shuts-down", lambda s: play(
    s, context(not s, 13, 13), own(s) + ["-shim-shuts-down", "-check-close-notify"],
    talk=lambda w: agree(w.recv(1) == b"", "")))
for_both_roles("tls13-alert", lambda s: play(
    s, context(not s, 13, 13), own(s) + ["-send-alert"], talk=lambda w: w.recv(1), fails="DECOMPRESSION_FAILURE"))


def agree(holds, text):
    assert holds, text
    return True


def without_tickets(made):
    made.options |= ssl.OP_NO_TICKET
    return made


def cut(connection):
    echo(connection)
    connection.shutdown(socket.SHUT_RDWR)


def with_protocols(made, *protocols):
    made.set_alpn_protocols(list(protocols))
    return made


def requesting(made, mode=ssl.CERT_OPTIONAL, kind="rsa"):
    made.verify_mode = mode
    made.load_verify_locations(FOLDER / f"{kind}.crt")
    return made


def presenting(made, kind="rsa"):
    made.load_cert_chain(FOLDER / f"{kind}.crt", FOLDER / f"{kind}.key")
    return made


@test
def unknown_flag():
    with shim(["-no-such-flag"], 89, "not implemented"):
        pass


@test
def handshaker():
    output = subprocess.run([PROGRAM, "-is-handshaker-supported"], check=True, capture_output=True, text=True)
    assert output.stdout.strip() == "No", output.stdout


@test
def no_version():
    with shim(["-no-tls1", "-no-tls11", "-no-tls12", "-no-tls13"], 1, ":NO_SUPPORTED_VERSIONS_ENABLED:"):
        pass


@test
def client_alpn():
    play(False, with_protocols(context(True), "bar", "foo"),
         ["-advertise-alpn", "\x03foo\x03bar", "-expect-alpn", "bar"], count=2)


@test
def client_retries():
    for flags in (["-key-shares", "29"], ["-no-key-shares"]):
        made = context(True, 13, 13)
        made.set_ecdh_curve("secp384r1")
        play(False, made, [*flags, "-expect-hrr", "-expect-curve-id", "24"], count=2)


@test
def server_retries():
    play(True, context(False, 13, 13), identity("rsa") + ["-curves", "24", "-expect-hrr", "-expect-curve-id", "24"])


@test
def tls13_client_certificate():
    play(False, requesting(context(True, 13, 13), ssl.CERT_REQUIRED), identity("rsa"), count=2,
         check=lambda w, n: agree(w.getpeercert(True), "no certificate"))


@test
def tls13_server_requires_certificate():
    play(True, presenting(context(False, 13, 13)), identity("rsa") + ["-require-any-client-certificate"], count=2)


@test
def tls13_server_misses_certificate():
    play(True, context(False, 13, 13), identity("rsa") + ["-require-any-client-certificate"], status=1,
         text=":PEER_DID_NOT_RETURN_A_CERTIFICATE:", fails="CERTIFICATE_REQUIRED")


@test
def tls13_server_alpn():
    play(True, with_protocols(context(False, 13, 13), "foo", "bar"),
         identity("rsa") + ["-select-alpn", "bar", "-expect-advertised-alpn", "\x03foo\x03bar"], count=2,
         check=lambda w, n: agree(w.selected_alpn_protocol() == "bar", "no ALPN"))


@test
def server_alpn():
    play(True, with_protocols(context(False), "foo", "bar"),
         identity("rsa") + ["-select-alpn", "bar", "-expect-advertised-alpn", "\x03foo\x03bar"], count=2,
         check=lambda w, n: agree(w.selected_alpn_protocol() == "bar", "no ALPN"))


@test
def server_alpn_reject():
    play(True, with_protocols(context(False), "foo"), identity("rsa") + ["-reject-alpn"], status=1,
         text=":NO_APPLICATION_PROTOCOL:", fails="NO_APPLICATION_PROTOCOL")


@test
def server_alpn_empty():
    play(True, with_protocols(context(False), "foo"), identity("rsa") + ["-select-empty-alpn"], status=1,
         text=":INVALID_ALPN_PROTOCOL:", fails="INTERNAL_ERROR")


@test
def server_name():
    play(True, context(False), identity("rsa") + ["-expect-server-name", "test"], count=2)


@test
def wrong_server_name():
    play(True, context(False), identity("rsa") + ["-expect-server-name", "other"], status=1, fails="")


@test
def client_certificate():
    play(False, requesting(context(True), ssl.CERT_REQUIRED), identity("rsa"), count=2,
         check=lambda w, n: agree(w.getpeercert(True), "no certificate"))


@test
def client_certificate_of_wrong_kind():
    made = requesting(context(True))
    play(False, made, identity("ed") + ["-signing-prefs", "2054"], status=1, fails="HANDSHAKE_FAILURE")


@test
def no_client_certificate():
    play(False, requesting(context(True)), [])


@test
def server_requires_certificate():
    play(True, presenting(context(False)), identity("rsa") + ["-require-any-client-certificate"], count=2)


@test
def server_misses_certificate():
    play(True, context(False), identity("rsa") + ["-require-any-client-certificate"], status=1,
         text=":PEER_DID_NOT_RETURN_A_CERTIFICATE:", fails="HANDSHAKE_FAILURE")


@test
def server_refuses_certificate():
    play(True, presenting(context(False)),
         identity("rsa") + ["-require-any-client-certificate", "-verify-fail", "-use-custom-verify-callback"],
         status=1, fails="CERTIFICATE_UNKNOWN")


@test
def client_verifies():
    play(False, context(True), ["-verify-peer", "-trust-cert", str(FOLDER / "rsa.crt"), "-expect-verify-result"])


@test
def client_distrusts():
    play(False, context(True), ["-verify-peer", "-trust-cert", str(FOLDER / "ec.crt")], status=1, fails="UNKNOWN_CA")


@test
def client_verify_fails():
    play(False, context(True), ["-verify-peer", "-verify-fail"], status=1, text=":CERTIFICATE_VERIFY_FAILED:",
         fails="HANDSHAKE_FAILURE")


@test
def client_ignores_failure():
    play(False, context(True), ["-verify-fail"])


@test
def reverify_on_resume():
    play(False, context(True),
         ["-verify-peer", "-reverify-on-resume", "-on-resume-verify-fail"], count=2, status=1, fails="")


@test
def several_credentials():
    made = context(False)
    made.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
    play(True, made, ["-new-x509-credential", *identity("rsa"), "-new-x509-credential", *identity("ec"),
                      "-expect-selected-credential", "1"])


@test
def signature_preferences():
    play(True, context(False), identity("rsa") + ["-signing-prefs", "2054", "-signing-prefs", "1025"])


@test
def exported_keys():
    play(True, context(False), identity("rsa") + ["-export-keying-material", "20", "-export-label", "label"],
         talk=lambda w: (agree(len(w.recv(20)) == 20, "nothing exported"), echo(w)))


@test
def renegotiation_is_refused():
    with shim([], 1, ":NO_RENEGOTIATION:") as run:
        openssl_renegotiates(run)


@test
def renegotiation():
    with shim(["-renegotiate-freely", "-expect-total-renegotiations", "1"]) as run:
        openssl_renegotiates(run)


@test
def renegotiation_is_ignored():
    with shim(["-renegotiate-ignore"]) as run:
        openssl_renegotiates(run)


def openssl_renegotiates(run):
    """Relays the shim's connection to `openssl s_server`, which renegotiates at the command `r`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", str(FOLDER / "rsa.crt"), "-key",
         str(FOLDER / "rsa.key"), "-tls1_2"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        shim_side = run.accept()
        for _ in range(100):
            with contextlib.suppress(ConnectionRefusedError):
                server_side = socket.create_connection(("127.0.0.1", port))
                break
            time.sleep(0.05)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            pool.submit(relay, shim_side, server_side)
            pool.submit(relay, server_side, shim_side)
            for command in (b"r\n", b"hi\n", b"Q\n"):
                time.sleep(0.3)
                with contextlib.suppress(BrokenPipeError):
                    server.stdin.write(command)
                    server.stdin.flush()
    finally:
        server.kill()
        server.wait()


def relay(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 14):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@test
def server_garbage():
    with shim(["-server", *identity("rsa")], 1) as run:
        raw = run.accept()
        raw.sendall(b"GET / HTTP/1.0\n\n")
        while raw.recv(1024):
            pass
        raw.close()


@test
def server_fatal_alert():
    with shim(["-server", *identity("rsa")], 1, ":TLSV1_ALERT_RECORD_OVERFLOW:") as run:
        raw = run.accept()
        raw.sendall(bytes.fromhex("15030100020216"))
        raw.shutdown(socket.SHUT_WR)
        raw.recv(1024)


def connect_shims(server, client, count):
    """Plays the network between two shims; ends a connection without traffic."""
    for _ in range(count):
        ends = [server.accept(), client.accept()]
        other = dict(zip(ends, reversed(ends)))
        while ready := select.select(ends, [], [], 0.5)[0]:
            data = [(end, end.recv(1 << 16)) for end in ready]
            for end, part in data:
                with contextlib.suppress(OSError):
                    other[end].sendall(part)
            if any(not part for _, part in data):
                break
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def early_data(server_flags, client_flags):
    with shim(["-server", *identity("rsa"), "-resume-count", "1", "-enable-early-data", *server_flags]) as server:
        with shim(["-resume-count", "1", "-enable-early-data", "-on-resume-shim-writes-first",
                   "-on-initial-expect-early-data-reason", "no_session_offered",
                   "-on-resume-shim-shuts-down", "-on-retry-shim-shuts-down", *client_flags]) as client:
            connect_shims(server, client, 2)


@test
def early_data_accepted():
    early_data(["-on-resume-expect-accept-early-data", "-on-resume-expect-early-data-reason", "accept"],
               ["-expect-ticket-supports-early-data", "-on-resume-expect-accept-early-data",
                "-on-resume-expect-early-data-reason", "accept"])


@test
def early_data_rejected():
    early_data(["-on-initial-select-alpn", "foo", "-on-resume-select-alpn", "bar", "-expect-reject-early-data",
                "-on-resume-expect-early-data-reason", "alpn_mismatch"],
               ["-advertise-alpn", "\x03foo\x03bar", "-expect-ticket-supports-early-data", "-on-initial-expect-alpn",
                "foo", "-on-resume-expect-alpn", "foo", "-on-retry-expect-alpn", "bar",
                "-on-retry-expect-early-data-reason", "peer_declined", "-on-resume-expect-reject-early-data"])


@test
def early_data_and_retry():
    early_data(["-on-resume-curves", "24", "-on-resume-expect-hrr", "-on-resume-expect-early-data-reason",
                "hello_retry_request"],
               ["-expect-ticket-supports-early-data", "-on-retry-expect-hrr", "-on-retry-expect-early-data-reason",
                "hello_retry_request"])


def run_one(name):
    try:
        TESTS[name]()
    except Exception as error:  # A failed test must not stop the others.
        return name, f"{type(error).__name__}: {error}"
    return name, None


def main():
    for kind in KEYS:
        make_identity(kind)
    names = [name for name in TESTS if not sys.argv[2:] or any(part in name for part in sys.argv[2:])]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(run_one, names))
    failed = [f"{name}: {error}" for name, error in results if error]
    print("\n".join(failed + [f"{len(names) - len(failed)} of {len(names)} tests passed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    sys.exit(main())
