#!/usr/bin/env python3
"""Compares TrustLab with OpenSSL and pyca cryptography on mutated certificate chains.

    differential.py --program .build/debug/trustlab
    differential.py --program .build/debug/trustlab --every 50
    differential.py --program .build/debug/trustlab --only 'keyUsage.*' --verbose
    differential.py --program .build/debug/trustlab --only serial.negative/leaf/0 --write folder

Each disagreement must be of a class in classes.py, which names the clause. The exit status is 1
if a disagreement is of no class, or if a validator refuses a chain that is good by construction.
"""

import argparse
import collections
import fnmatch
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import cryptography

import generator
import validators
from classes import CLASSES, GOOD

# The profile that is compared with each peer.
COMPARISONS = {"openssl": "rfc5280", "strict": "rfc5280", "pyca": "webpki"}


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="trustlab", help="the program to test")
    parser.add_argument("--seed", default="1", help="the seed of all random numbers")
    parser.add_argument("--every", type=int, default=1, help="compare one chain of so many")
    parser.add_argument("--only", default="*", help="compare chains whose id matches this pattern")
    parser.add_argument("--without", metavar="CLASS", help="leave this class out")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--verbose", action="store_true", help="print every disagreement")
    parser.add_argument("--write", metavar="FOLDER", help="write the chains as PEM files")
    return parser.parse_args()


def place(case):
    """The text that a class's pattern of chains matches: mutation, role and shape."""
    return f"{case.mutation or 'good'}/{case.role} {case.shape}"


def fits(item, peer, case, refuses, reason):
    return (
        peer in item.peers.split() and refuses == item.refuses
        and item.reason.fullmatch(reason) and item.where.search(place(case)))


def classes_of(peer, case, ours, theirs, classes=CLASSES):
    """Returns the class of each reason of the refusal; None for a reason without a class."""
    refuses, verdict = ("peer", theirs) if ours.accepted else ("trustlab", ours)
    return [
        next((item for item in classes
              if fits(item, peer, case, refuses, reason)), None)
        for reason in verdict.reasons]


def evaluate(cases, program, processes):
    ours = validators.trustlab(program, cases, processes)
    openssl = validators.openssl(cases, processes + 1)
    for case, (rfc5280, webpki), (lenient, strict) in zip(cases, ours, openssl):
        yield case, {"rfc5280": rfc5280, "webpki": webpki}, {
            "openssl": lenient, "strict": strict, "pyca": validators.pyca(case)}


def is_refused_good(case, profile, verdict):
    """Whether TrustLab refuses a chain that it must accept by construction."""
    if case.mutation or verdict.accepted:
        return False
    return not all(
        any(reason in rules and where.search(case.shape) for rules, where in GOOD[profile])
        for reason in verdict.reasons)


def print_classes(counts, is_whole):
    width = max((len(item.name) for item in counts), default=0)
    for item in CLASSES:
        if counts[item]:
            refuses = "TrustLab" if item.refuses == "trustlab" else "the peer"
            print(f"{counts[item]:5}  {item.name:{width}}  {refuses} refuses; {item.kind}: {item.clause}")
    unseen = [item.name for item in CLASSES if not counts[item]]
    if unseen and is_whole:
        print("not seen; delete from classes.py and docs/differences.md: " + ", ".join(unseen))


def write(folder, cases):
    for case in cases:
        target = Path(folder) / case.id.replace("/", "_")
        target.mkdir(parents=True, exist_ok=True)
        (target / "chain.pem").write_text(validators.pem([case.leaf, *case.candidates]))
        (target / "roots.pem").write_text(validators.pem(case.roots))


def main():
    choice = options()
    cases = [case for case in generator.cases(choice.seed, choice.every)
             if fnmatch.fnmatch(case.id, choice.only)]
    if not cases:
        sys.exit(f"error: no chain matches {choice.only}")
    if choice.write:
        write(choice.write, cases)
    digest = hashlib.sha256(b"".join(
        part for case in cases for part in (case.leaf, *case.candidates, *case.roots)))
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout.split()
    print(f"{len(cases)} chains, SHA-256 {digest.hexdigest()[:16]}; {' '.join(version[:2])}, "
          f"cryptography {cryptography.__version__}")
    classes = [item for item in CLASSES if item.name != choice.without]
    counts, passed, failed = collections.Counter(), 0, 0
    for case, ours, theirs in evaluate(cases, choice.program, choice.processes):
        for peer, profile in COMPARISONS.items():
            mine, other = ours[profile], theirs[peer]
            found = []
            if mine.accepted != other.accepted:
                found = classes_of(peer, case, mine, other, classes)
            counts.update(set(found) - {None})
            line = f"{case.id} ({case.shape})  {profile}: {mine}; {peer}: {other}"
            if None in found or is_refused_good(case, profile, mine):
                failed += 1
                print(f"UNEXPLAINED  {line}")
            else:
                passed += 1
                if choice.verbose and found:
                    print(f"{', '.join(sorted({item.name for item in found}))}  {line}")
    print_classes(counts, choice.every == 1 and choice.only == "*")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
