"""Three validators' verdicts on a chain: TrustLab, OpenSSL and pyca cryptography."""

import base64
import datetime
import json
import re
import subprocess
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cryptography import x509
from cryptography.x509.verification import DNSName, PolicyBuilder, Store

from certificates import AT, AT_SECONDS, HOST

PROFILES = ("rfc5280", "webpki")


class Verdict:
    """Whether the chain was accepted, and the reasons if not: rule ids, or one message."""

    def __init__(self, accepted, reasons=()):
        self.accepted, self.reasons = accepted, tuple(reasons)

    def __str__(self):
        return "accepted" if self.accepted else ", ".join(self.reasons)


def text(encoding):
    return base64.b64encode(encoding).decode()


def trustlab(program, cases, processes):
    """Returns the verdicts of both profiles for each case."""
    lines = [
        json.dumps({
            "chain": [text(item) for item in (case.leaf, *case.candidates)],
            "roots": [text(item) for item in case.roots], "host": HOST, "at": AT,
            "profile": profile})
        for case in cases for profile in PROFILES]
    share = -(-len(lines) // processes)
    parts = [lines[start:start + share] for start in range(0, len(lines), share)]

    def run(part):
        command = [program, "verify", "--ndjson", "--members", "verdict", "because"]
        result = subprocess.run(
            command, input="\n".join(part) + "\n", capture_output=True, text=True)
        answers = result.stdout.splitlines()
        if result.returncode or len(answers) != len(part):
            raise RuntimeError(
                f"trustlab gave {len(answers)} answers to {len(part)} requests, status "
                f"{result.returncode}: {result.stderr[-500:]}")
        return [verdict(json.loads(answer)) for answer in answers]

    def verdict(answer):
        if "error" in answer:
            # The place in the input says nothing about the kind of fault.
            message = re.sub(r"^'\w+' \d+: (byte \d+: )?", "", answer["error"]["message"])
            return Verdict(False, ["unreadable: " + message])
        return Verdict(answer["verdict"] == "accepted", answer["because"])

    with ThreadPoolExecutor(processes) as pool:
        verdicts = [item for part in pool.map(run, parts) for item in part]
    return list(zip(verdicts[::2], verdicts[1::2]))


def pem(encodings):
    return "".join(
        f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(item).decode()}"
        "-----END CERTIFICATE-----\n" for item in encodings)


OPENSSL_ERROR = re.compile(r"error (\d+) at -?\d+ depth lookup: ?(.*)")


def openssl(cases, processes):
    """Returns the verdicts without and with -x509_strict for each case."""
    def verdict(folder, *options):
        command = ["openssl", "verify", *options, "-attime", str(AT_SECONDS), "-purpose", "sslserver",
                   "-verify_hostname", HOST, "-no-CApath", "-no-CAstore", "-CAfile", folder / "roots",
                   "-untrusted", folder / "candidates", folder / "leaf"]
        if not (folder / "candidates").stat().st_size:
            del command[-3:-1]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace")
        output = result.stdout + result.stderr
        errors = [f"{number} {words}" for number, words in OPENSSL_ERROR.findall(output)]
        if result.returncode == 0:
            return Verdict(True)
        return Verdict(False, errors or ["unreadable"])

    def verdicts(case):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "leaf").write_text(pem([case.leaf]))
            (folder / "candidates").write_text(pem(case.candidates))
            (folder / "roots").write_text(pem(case.roots))
            lenient = verdict(folder)
            # The options only add checks.
            strict = lenient.accepted and verdict(
                folder, "-x509_strict", "-policy", "2.5.29.32.0")
            return lenient, strict or lenient

    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(verdicts, cases))


def pyca(case):
    moment = datetime.datetime.fromtimestamp(AT_SECONDS, datetime.timezone.utc)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            leaf, *candidates = (
                x509.load_der_x509_certificate(item) for item in (case.leaf, *case.candidates))
            roots = [x509.load_der_x509_certificate(item) for item in case.roots]
            verifier = PolicyBuilder().store(Store(roots)).time(
                moment.replace(tzinfo=None)).build_server_verifier(DNSName(HOST))
            verifier.verify(leaf, candidates)
        return Verdict(True)
    except Exception as error:
        # A certificate that cannot be read raises errors of several kinds, even of Rust.
        message = re.sub(r"<Certificate\(.*?\.\.\.\)>", "", str(error))
        return Verdict(False, [f"{type(error).__name__}: {' '.join(message.split())[:150]}"])
