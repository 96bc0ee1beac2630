#!/bin/sh
# Install Portico and its test tools into .venv and run the tests. Arguments go to pytest; EXTRA names
# another extra of setup.cfg that includes the test tools. Tests that judge time run alone, after all others, and
# those that take long are left out, unless the arguments select tests.
set -eu
cd "$(dirname "$0")"
. .ci/environment.sh
prepare "${EXTRA:-test}"
# Each worker has its own embedded server; on a shared server tests would change each other's roles.
# Three on two cores, since many tests wait for servers and processes that they start.
workers=3
[ -z "${TEST_DATABASE_URL:-}" ] || workers=0
in_workers() {
    "$python" -m pytest -n "$workers" --dist loadfile --no-loadscope-reorder "$@" </dev/null
}
for argument; do
    # Not an option: a path, or the value of an option.
    case $argument in
    -m* | [!-]*)
        in_workers "$@"
        exit
        ;;
    esac
done
status=0
in_workers -m 'not timing and not long' "$@" || status=$?
# One coverage report covers both runs.
"$python" -m pytest -m timing --cov-append "$@" </dev/null || status=$?
echo "Not run: the tests that take long; sh test.sh -m long runs them."
exit "$status"
