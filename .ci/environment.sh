# Sourced by demo.sh and test.sh: makes the virtual environment .venv with the extras named by $1, once, and sets
# $python to its interpreter.

fail() {
    printf 'portico: %s\n' "$1" >&2
    exit 1
}

choose_python() {
    seen=''
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] || continue
        version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        seen="$seen, $candidate is $version"
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
        if "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
            printf '%s' "$candidate"
            return 0
        fi
        fail "$candidate (Python $version) has no venv module; on Debian and Ubuntu: apt install python$version-venv"
    done
    fail "Python 3.11 or newer is needed${seen:-, there is no python3}; set PYTHON to the one to use"
}

prepare() {
    extras=$1
    python=.venv/bin/python
    # The environment is created again if the requirements or the directory changed, or if its creation was interrupted.
    wanted="$(pwd) $extras $(cksum <setup.cfg)"
    [ "$(cat .venv/made-for 2>/dev/null)" = "$wanted" ] && [ -x "$python" ] && return 0
    [ -w . ] || fail "$(pwd) is not writable for $(id -un); use a copy of your own"
    [ ! -e .venv ] || [ -w .venv ] || fail "$(pwd)/.venv belongs to another user; remove it or use a copy of your own"
    base=$(choose_python) || exit 1
    printf 'portico: installing into %s/.venv, which takes about a minute\n' "$(pwd)" >&2
    if [ ! -x "$python" ] || [ "$(cut -d ' ' -f 1 .venv/made-for 2>/dev/null)" != "$(pwd)" ]; then
        "$base" -m venv --clear .venv || fail "the virtual environment .venv could not be made with $base"
    fi
    rm -f .venv/made-for
    # Before 1.0 the distribution was called portico; beside the new one, each plugin would be found twice.
    "$python" -m pip uninstall --quiet --disable-pip-version-check --yes portico 2>/dev/null || true
    rm -rf portico.egg-info
    quiet_pip --editable ".[$extras]" ||
        fail "the packages could not be installed; is a package index reachable from here?"
    printf '%s\n' "$wanted" >.venv/made-for
}

# Install sign-in for the demonstration, in a directory of its own, where the tests do not find it. What it needs goes
# into the environment.
add_sign_in() {
    sign_in=$(pwd)/.venv/sign-in
    wanted=$(find signin -type f ! -path '*/build/*' ! -path '*.egg-info/*' ! -name '*.pyc' -exec cksum {} + |
        sort | cksum)
    if [ "$(cat "$sign_in/made-for" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$sign_in"
        if ! { quiet_pip argon2-cffi && quiet_pip --no-deps --target "$sign_in" ./signin; }; then
            printf 'portico: sign-in is left out; the demonstration goes on without it\n' >&2
            return 0
        fi
        printf '%s\n' "$wanted" >"$sign_in/made-for"
    fi
    PYTHONPATH=$sign_in${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
}

quiet_pip() {
    "$python" -m pip install --quiet --disable-pip-version-check --no-input "$@"
}

# Install Portico Studio for the demonstration, in a directory of its own, where the tests do not find it. The plugin
# works at once; its page is built in the background, which takes longer, and is served when it is ready.
add_studio() {
    studio=$(pwd)/.venv/studio
    sources=$(find studio -type f ! -path '*/node_modules/*' ! -path '*/page/*' ! -name '*.pyc' -exec cksum {} + |
        sort | cksum)
    if [ "$(cat "$studio/made-for" 2>/dev/null)" != "$sources" ]; then
        rm -rf "$studio"
        if ! STUDIO_PAGE=later install_studio "$studio"; then
            printf 'portico: Portico Studio is left out; the demonstration goes on without it\n' >&2
            return 0
        fi
        : >"$studio/portico_studio/page.being-built"
        # In a subshell, so that the service has no child process that it did not start.
        (build_studio >"$studio/build.log" 2>&1 &)
    fi
    PYTHONPATH=$studio${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
}

install_studio() {
    quiet_pip --no-deps --target "$1" ./studio
}

build_studio() {
    if install_studio "$studio/built" && [ -e "$studio/built/portico_studio/page/index.html" ]; then
        mv "$studio/built/portico_studio/page" "$studio/portico_studio/page"
        printf '%s\n' "$sources" >"$studio/made-for"
    fi
    rm -rf "$studio/built" "$studio/portico_studio/page.being-built"
}
