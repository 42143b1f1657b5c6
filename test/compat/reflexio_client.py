"""Calls every public method of the real client and every endpoint of the seed document, and prints the outcomes.

The methods are found by introspection: one without a case counts as failed. COMPAT_KEY holds the key of the first
pass; the second runs without a key, as the open local default lets one.
"""

import argparse
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import cases  # noqa: F401
from endpoints import call_endpoint, listed_endpoints
from harness import CASES, Outcome, World, outcome_of
from reflexio import ReflexioClient

PASSING = ("works", "later")
Rows = list[tuple[str, Outcome]]


def wanted() -> Iterator[tuple[str, str]]:
    """Every public method and the ways in which it can be called: answered, in the background, or waiting."""
    for name, method in inspect.getmembers(ReflexioClient, callable):
        if name.startswith("_"):
            continue
        yield name, ""
        signature = inspect.signature(method)
        if "wait_for_response" in signature.parameters:
            yield name, "wait" if name.startswith("publish_") else "background"


#: Profiles come later as a whole: one way of calling each is enough.
ONE_WAY = {"delete_profile", "rerun_profile_generation"}


def untested() -> Rows:
    had = {(known.method, known.variant) for known in CASES}
    names = {name for name, _ in wanted()}
    for known in CASES:
        if known.method not in names:
            raise SystemExit(f"the client has no public method {known.method}")
    return [
        (f"{name} ({way})" if way else name, Outcome("untested", "no case calls it"))
        for name, way in wanted()
        if (name, way) not in had and not (way and name in ONE_WAY)
    ]


def run_methods(world: World, only: str) -> Rows:
    rows: Rows = []
    for known in CASES:
        if only in known.title:
            rows.append((known.title, outcome_of(known.run, world)))
            title, outcome = rows[-1]
            print(f"  {outcome.result:8} {title}", file=sys.stderr, flush=True)
    return rows


def print_table(head: str, passes: dict[str, Rows]) -> list[Outcome]:
    """One line a row with its result in each pass; the words are the last pass's that says more than its result."""
    print(f"\n{head.ljust(62)} {' '.join(name.ljust(9) for name in passes)} what was read back")
    columns = {name: dict(rows) for name, rows in passes.items()}
    titles = sorted({title for rows in columns.values() for title in rows})
    for title in titles:
        found = [column[title] for column in columns.values()]
        worst = next((outcome for outcome in found if outcome.result not in PASSING), found[0])
        print(f"{title.ljust(62)} {' '.join(outcome.result.ljust(9) for outcome in found)} {worst.words}")
    return [outcome for column in columns.values() for outcome in column.values()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--seed", type=Path, help="the seed document that lists the endpoints")
    parser.add_argument("--only", default="", help="methods whose name contains this")
    options = parser.parse_args()
    endpoints = listed_endpoints(options.seed)
    methods: dict[str, Rows] = {}
    called: dict[str, Rows] = {}
    for name, key in (("with key", os.environ["COMPAT_KEY"]), ("open", "")):
        print(f"{name}:", file=sys.stderr)
        world = World(options.url, key)
        methods[name] = run_methods(world, options.only) + (untested() if options.only == "" else [])
        if options.only == "":
            called[name] = [(endpoint, call_endpoint(endpoint, world)) for endpoint in endpoints]
    outcomes = print_table("method of the client", methods)
    if called:
        outcomes += print_table("endpoint of the seed document", called)
    counts = {result: sum(outcome.result == result for outcome in outcomes) for result in PASSING}
    print(f"\n{counts['works']} work, {counts['later']} come later")
    passed = sum(counts.values())
    print(f"{passed} passed, {len(outcomes) - passed} failed")
    return 0 if passed == len(outcomes) else 1


sys.exit(main())
