#!/usr/bin/env python3
"""Evaluates an x509-limbo file with pyca/cryptography, to compare its CPU time with that of `trustlab limbo`.

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install cryptography==48.0.0
    /tmp/peer/bin/python Benchmarks/limbo_peer.py repeat limbo.json 9780 big.json
    time /tmp/peer/bin/python Benchmarks/limbo_peer.py run big.json
    time .build/release/trustlab limbo big.json --format json > /dev/null

`repeat` makes a file with any number of cases from a smaller one.
"""

import datetime
import ipaddress
import json
import sys

from cryptography import x509
from cryptography.x509 import verification


def repeat(source, count, target):
    with open(source) as file:
        limbo = json.load(file)
    cases = limbo["testcases"]
    limbo["testcases"] = [cases[index % len(cases)] for index in range(count)]
    with open(target, "w") as file:
        json.dump(limbo, file)


def evaluate(case):
    if case["validation_kind"] != "SERVER" or case["signature_algorithms"] or case["crls"]:
        return "SKIPPED"
    name = case["expected_peer_name"]
    if name is None or name["kind"] not in ("DNS", "IP"):
        return "SKIPPED"
    try:
        subject = (
            x509.DNSName(name["value"])
            if name["kind"] == "DNS"
            else x509.IPAddress(ipaddress.ip_address(name["value"]))
        )
        roots = [x509.load_pem_x509_certificate(pem.encode()) for pem in case["trusted_certs"]]
        builder = verification.PolicyBuilder().store(verification.Store(roots))
        if case["validation_time"]:
            time = datetime.datetime.fromisoformat(case["validation_time"])
            builder = builder.time(time.astimezone(datetime.timezone.utc).replace(tzinfo=None))
        if case["max_chain_depth"] is not None:
            builder = builder.max_chain_depth(case["max_chain_depth"])
        leaf = x509.load_pem_x509_certificate(case["peer_certificate"].encode())
        others = [x509.load_pem_x509_certificate(pem.encode()) for pem in case["untrusted_intermediates"]]
        builder.build_server_verifier(subject).verify(leaf, others)
        return "SUCCESS"
    except Exception:
        return "FAILURE"


def run(source):
    with open(source) as file:
        cases = json.load(file)["testcases"]
    agreed = sum(evaluate(case) == case["expected_result"] for case in cases)
    print(f"{agreed} of {len(cases)} agreed")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "repeat":
        repeat(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(__doc__)
