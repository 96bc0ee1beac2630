#!/bin/sh
# Run the tests of Portico Studio in the environment that ../test.sh makes. Arguments go to pytest. Those in a browser need the
# package playwright, a Chromium, and the built page; they are skipped otherwise, and say so.
set -eu
cd "$(dirname "$0")/.."
. .ci/environment.sh
prepare "${EXTRA:-test}"
PYTHONPATH=$(pwd)/studio:$(pwd)/signin${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
exec "$python" -m pytest --rootdir studio studio/tests "$@" </dev/null
