"""Applies the fix that each deciding rule prints to the chain that was refused, and checks that the finding is gone.

Usage: fixes.py --program PROGRAM [--every N] [--reports FOLDER] [--idle RULE] [--verbose]

The chains are those of the differential test, and with --reports the `verify` cases of that folder. The last line is
"N passed, N failed"; a finding that remains, a path that was cut, or a fix without a row in edits.py, fails.
A fix that cannot be played is counted with its reason.
"""

import argparse
import base64
import collections
import copy
import json
import re
import subprocess
import sys
from pathlib import Path as File

sys.dont_write_bytecode = True
sys.path.insert(0, str(File(__file__).resolve().parent.parent / "Differential"))

from certificates import AT, HOST  # noqa: E402
from generator import cases  # noqa: E402

from edits import change_for  # noqa: E402
from reading import Path, read  # noqa: E402

PROFILES = ("rfc5280", "webpki", "apple")
SEED = "fixes"


class Input:
    """A chain that is evaluated: its name, the encodings, and the other members of a request."""

    def __init__(self, name, chain, roots, **members):
        self.name, self.chain, self.roots, self.members = name, chain, roots, members

    def line(self):
        return json.dumps({"chain": [text(item) for item in self.chain], "roots": [text(item) for item in self.roots],
                           **self.members})


def text(encoding):
    return base64.b64encode(encoding).decode()


def generated(every):
    for case in cases(SEED, every):
        for profile in PROFILES:
            members = {"host": HOST, "at": AT, "profile": profile}
            if profile == "apple":
                members["os"] = "iOS 18"
            yield Input(f"{case.id} {profile}", [case.leaf, *case.candidates], case.roots, **members)


def pem(path):
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([^-]+)-----END", path.read_text("utf-8", "replace"))
    return [base64.b64decode(block) for block in blocks]


def reported(folder, reasons):
    """The cases of reports.json that verify a chain in PEM files, without revocation or a key.

    The cases of `verify` that are not among them are counted in `reasons`.
    """
    for case in json.loads((folder / "reports.json").read_text())["cases"]:
        command = case["command"]
        options = dict(zip(command[1:], command[2:]))
        own = folder / case.get("folder", case["id"])
        allowed = {"--roots", "--host", "--at", "--profile", "--os"}
        if command[0] != "verify":
            continue
        if {word for word in command if word.startswith("--")} - allowed - {"--format"}:
            reasons["a report with options that a request has no members for"] += 1
            continue
        members = {key: options[f"--{key}"] for key in ("host", "at", "profile", "os") if f"--{key}" in options}
        try:
            chain, roots = pem(own / command[1]), pem(own / options["--roots"])
        except (OSError, KeyError, ValueError):
            chain = roots = []
        if not chain or not roots:
            reasons["a report without a chain and roots in PEM"] += 1
        else:
            yield Input(case["id"], chain, roots, **members)


def evaluate(program, inputs):
    answers = subprocess.run([program, "verify", "--ndjson"], input="".join(item.line() + "\n" for item in inputs),
                             capture_output=True, text=True).stdout.splitlines()
    if len(answers) != len(inputs):
        raise RuntimeError(f"trustlab gave {len(answers)} answers to {len(inputs)} requests")
    return [json.loads(answer) for answer in answers]


def deciding(answer):
    return [finding for finding in answer.get("findings", ())
            if finding["outcome"] == "violated" and finding["weight"] == "decides"]


def path_of(item, answer):
    """The certificates of the path in the response."""
    import hashlib
    by_digest = {hashlib.sha256(encoding).hexdigest(): encoding for encoding in (*item.chain, *item.roots)}
    by_name = {entry["name"]: by_digest.get(entry["sha256"]) for entry in answer["certificates"]}
    return [by_name[name] for name in answer["path"]]


def fixed(item, answer, finding, change):
    """The input with the fix applied, or the reason why it cannot be played."""
    try:
        encodings = path_of(item, answer)
        # A path without an anchor ends below the roots, which stay as they are.
        path = Path([read(encoding) for encoding in encodings], [], item.members["at"],
                    item.members.get("host", HOST))
    except (KeyError, ValueError, IndexError, TypeError):
        return "a certificate of the path cannot be read into its parts"
    number = re.match(r"certificate (\d+)", finding["subject"])
    reason = change(path, int(number[1]) if number else 0, finding)
    if reason:
        return reason
    signed = path.issue()
    certificates = list(path)
    anchored = {bytes(encoding) for encoding in item.roots}
    roots = [encoding for encoding in item.roots if encoding not in encodings]
    roots += [new for certificate, new in zip(certificates, signed)
              if getattr(certificate, "original", None) in anchored or any(certificate is root for root in path.roots)]
    members = dict(item.members, at=path.at)
    # Other paths are left out: the fix is about this one.
    return Input(item.name, signed, roots or item.roots, **members)


def is_gone(finding, answer):
    """Whether the rule no longer decides about the same certificate."""
    if "error" in answer:
        return False
    same = re.match(r"(certificate \d+|\w+)", finding["subject"])[1]
    return not any(other["rule"] == finding["rule"] and other["subject"].startswith(same)
                   and (other["fix"] == finding["fix"] or other["required"] == finding["required"])
                   for other in deciding(answer))


def is_cut(answer, length):
    """Whether the path is shorter than before, and not because another anchor ends it."""
    return len(answer["path"]) < length and any(
        finding["rule"] in ("chain.no-anchor", "chain.no-issuer") for finding in deciding(answer))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--reports", type=File)
    parser.add_argument("--idle", help="a rule whose fix changes nothing: its findings must remain")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tried, reasons, failed = [], collections.Counter(), []
    inputs = list(reported(options.reports, reasons)) if options.reports else list(generated(options.every))
    for item, answer in zip(inputs, evaluate(options.program, inputs)):
        for finding in deciding(answer):
            change = change_for(finding)
            if change is None:
                failed.append(f"no row: {item.name}: {finding['rule']}: {finding['fix']}")
                continue
            result = fixed(item, answer, finding, (lambda *_: None) if finding["rule"] == options.idle else change)
            if isinstance(result, str):
                reasons[result] += 1
            else:
                tried.append((finding, len(answer["path"]), result))
    for (finding, length, item), answer in zip(tried, evaluate(options.program, [item for *_, item in tried])):
        if not is_gone(finding, answer) or is_cut(answer, length):
            failed.append(f"remains: {item.name}: {finding['rule']} on {finding['subject']}: {finding['fix']}"
                          + (f" | {answer['error']['message']}" if "error" in answer else ""))
    for line in failed if options.verbose else failed[:40]:
        print(line)
    for reason, count in reasons.most_common():
        print(f"not played: {count}: {reason}")
    remaining = sum(line.startswith("remains") for line in failed)
    print(f"{len(tried) - remaining} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
