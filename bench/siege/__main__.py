"""``python -m bench.siege [--seconds N] [--only NAME ...] [--json FILE]``: exits with 1 if an attack got through.

``--seconds`` limits the attacks that run for a time; most end when they have tried everything. ``--only`` takes
a part of an attack's name and may be given more than once. The service, its database and its files are the siege's own:
an embedded PostgreSQL, or new databases on the server of TEST_DATABASE_URL, reached as a superuser.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from bench.siege.attacks import ATTACKS
from bench.siege.finding import Attack, Finding
from bench.siege.grounds import Grounds, grounds
from bench.siege.report import HEADING, Outcome, as_json, line


def main(arguments: Sequence[str] | None = None, attacks: Sequence[Attack] = ATTACKS) -> int:
    """Run the selected attacks. Returns 1 if one succeeded, 2 if there is no attack of that name."""
    parser = argparse.ArgumentParser(prog="python -m bench.siege", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long an attack without an end runs")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a part of the name of an attack")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what was found")
    parser.add_argument("--list", action="store_true", help="only list the attacks and their promises")
    options = parser.parse_args(arguments)
    chosen = [each for each in attacks if not options.only or any(part in each.name for part in options.only)]
    if not chosen:
        parser.error(f"no attack is called {options.only}; --list shows the names")
    if options.list:
        print("\n".join(f"{each.name:32} {each.promise}" for each in chosen))
        return 0
    print(HEADING)
    with grounds() as place:
        outcomes = [_run(each, place, options.seconds) for each in chosen]
    if options.json:
        options.json.write_text(as_json(outcomes))
    through = sum(finding.got_through for _, finding, _ in outcomes)
    print(f"{sum(finding.tried for _, finding, _ in outcomes)} tries, {through} got through")
    return 1 if through else 0


def _run(attack: Attack, place: Grounds, seconds: float) -> Outcome:
    began = time.monotonic()
    try:
        finding = attack.run(place, seconds)
    except Exception as ex:
        traceback.print_exc()
        # A promise that could not be tested counts as broken.
        finding = Finding(0, 1, examples=(f"the attack itself failed: {ex!r}"[:500],))
    outcome = (attack, finding, time.monotonic() - began)
    print(line(outcome), flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
