"""A load by wrk (https://github.com/wg/wrk, ``apt install wrk``), which takes little of the machine for itself."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SCRIPT = """
wrk.method = "POST"
{headers}
local bodies, requests, at = {{{bodies}}}, {{}}, 0
wrk.body = bodies[1]
if #bodies > 1 then
  function init(arguments)
    for number, body in ipairs(bodies) do requests[number] = wrk.format(nil, nil, nil, body) end
  end
  function request()
    at = at % #requests + 1
    return requests[at]
  end
end
function done(summary, latency)
  io.write(string.format("figures %d %d %d %d", summary.requests, summary.duration, summary.bytes,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.timeout))
  for _, percent in ipairs({{50, 90, 99}}) do io.write(string.format(" %d", latency:percentile(percent))) end
  io.write("\\n")
end
"""


@dataclass(frozen=True)
class Loaded:
    """The result of a load. ``size``: bytes of an answer on average, with its header; latencies in milliseconds by
    percentile; ``client_us``: CPU time of the client for a request."""

    requests: int
    per_second: float
    size: float
    failures: int
    latencies: Mapping[int, float]
    client_us: float


def is_installed() -> bool:
    return shutil.which("wrk") is not None


def load(url: str, bodies: Sequence[bytes], headers: Mapping[str, str], *, connections: int, seconds: int) -> Loaded:
    """Send requests with these bodies in turns, again and again, over ``connections``."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        lines = [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items()]
        texts = ", ".join(json.dumps(body.decode()) for body in bodies)
        script.write(_SCRIPT.format(bodies=texts, headers="\n".join(lines)))
        script.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script.name, url]
        before = _children_s()
        reported = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return read(reported, _children_s() - before)


def read(reported: str, client_s: float) -> Loaded:
    """The figures that wrk's script printed; ``client_s`` is the CPU time that wrk took."""
    found = re.search(r"^figures ([\d ]+)$", reported, re.M)
    assert found, reported
    requests, microseconds, size, failures, *latencies = map(int, found[1].split())
    assert requests, reported
    return Loaded(
        requests,
        requests / microseconds * 1e6,
        size / requests,
        failures,
        dict(zip((50, 90, 99), (each / 1000 for each in latencies), strict=True)),
        client_s / requests * 1e6,
    )


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
