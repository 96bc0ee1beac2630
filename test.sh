#!/bin/sh
# Install Portico and its test tools into .venv and run the tests. Arguments go to pytest; EXTRA
# names another set of tools that has those.
set -eu
cd "$(dirname "$0")"
. .ci/environment.sh
prepare "${EXTRA:-test}"
# Each worker has an embedded server of its own; one server for all would have tests change each other's roles.
# Three on two cores, since many tests wait for servers and processes that they start.
workers=3
[ -z "${TEST_DATABASE_URL:-}" ] || workers=0
exec "$python" -m pytest -n "$workers" --dist loadfile --no-loadscope-reorder "$@" </dev/null
