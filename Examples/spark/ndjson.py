#!/usr/bin/env python3
"""Writes requests for 'ats decide --ndjson', and checks the answers.

usage: ndjson.py COUNT > requests.ndjson; ndjson.py --check COUNT < answers.ndjson

Line 1000 is damaged on purpose.
"""

import json
import sys

HOSTS = ["api.example.com", "cdn.example.org", "printer.local", "10.0.0.7", "a.b.c.example.net", "example.com"]
SYSTEMS = ["iOS 9", "iOS 10", "iOS 15.4", "iOS 17", "iOS 18.4", "macOS 14", "doc"]
APPS = [{}, {"NSAllowsArbitraryLoads": True}, {"NSAllowsLocalNetworking": True},
        {"NSExceptionDomains": {"example.com": {"NSIncludesSubdomains": True,
                                                "NSExceptionAllowsInsecureHTTPLoads": True}}}]
BAD = 1000


def load(number):
    """Returns the load with this number; the number determines the app, the URL and the system."""
    scheme = "http" if number % 3 else "https"
    return {"id": number, "url": f"{scheme}://{HOSTS[number % 6]}/{number}", "os": SYSTEMS[number % 7],
            "ats": APPS[number % 4]}


def check(answers, count):
    """Checks that every line has its answer, in order, and that only the damaged line has an error."""
    assert len(answers) == count, f"{len(answers)} answers to {count} requests"
    for number, answer in enumerate(map(json.loads, answers)):
        assert answer["trustlab"] == 1
        assert ("error" in answer) == (number == BAD), (number, answer)
        assert number == BAD or answer["id"] == number, (number, answer)


def damaged(lines):
    """Returns the lines, and cuts the end off one of them."""
    return [line[:-9] if number == BAD else line for number, line in enumerate(lines)]


def main():
    count = int(sys.argv[-1])
    if "--check" in sys.argv:
        check(sys.stdin.read().splitlines(), count)
        print(f"{count} answers in order, one of them an error")
    else:
        print("\n".join(damaged(json.dumps(load(number)) for number in range(count))))


if __name__ == "__main__":
    main()
