#!/bin/sh
# Install Portico into .venv and serve the demonstration data. Arguments go to `portico serve`.
set -eu
cd "$(dirname "$0")"
. .ci/environment.sh
prepare demo,embedded,images,live
add_sign_in
add_studio
exec "$python" -m app serve --demo "$@"
