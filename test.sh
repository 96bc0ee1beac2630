#!/bin/sh
# Install Portico and its test tools into .venv and run the tests. Arguments go to pytest; EXTRA names
# another extra of setup.cfg that includes the test tools.
set -eu
cd "$(dirname "$0")"
. .ci/environment.sh
prepare "${EXTRA:-test}"
# Each worker has its own embedded server; on a shared server tests would change each other's roles.
# Three on two cores, since many tests wait for servers and processes that they start.
workers=3
[ -z "${TEST_DATABASE_URL:-}" ] || workers=0
exec "$python" -m pytest -n "$workers" --dist loadfile --no-loadscope-reorder "$@" </dev/null
