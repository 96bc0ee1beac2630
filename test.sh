#!/bin/sh
# Install Portico and its test tools into .venv and run the tests. Arguments go to pytest.
set -eu
cd "$(dirname "$0")"
. .ci/environment.sh
prepare test
exec "$python" -m pytest -n 2 "$@" </dev/null
