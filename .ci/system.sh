# Sourced by .ci/run: installs the Debian packages that tests use, and sets $postgres_programs to the directory with the
# programs of Debian's PostgreSQL, or to '' if there is none. Without these packages tests are skipped, which fails .ci/run.

install_system() {
    [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] || {
        printf 'portico: not root on Debian, so no packages are installed; tests that need an absent one will be missed\n' >&2
        return 0
    }
    absent=''
    for package in chromium curl debootstrap git nginx pgbouncer pgpool2 postgresql postgresql-postgis prometheus wrk; do
        is_installed "$package" || absent="$absent $package"
    done
    # node and npm may be installed from elsewhere than Debian's packages.
    for program in node npm; do
        command -v "$program" >/dev/null || absent="$absent nodejs npm"
    done
    # Update the package lists even if nothing is absent: tests download packages that they do not install.
    quietly apt-get update || [ -z "$absent" ]
    [ -n "$absent" ] || return 0
    printf 'portico: installing%s\n' "$absent" >&2
    # shellcheck disable=SC2086 - $absent holds several words
    without_services quietly apt-get install -y --no-install-recommends $absent
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Run a command; show its output only if it fails.
quietly() {
    output=$(mktemp)
    if DEBIAN_FRONTEND=noninteractive "$@" </dev/null >"$output" 2>&1; then
        rm -f "$output"
    else
        cat "$output" >&2
        rm -f "$output"
        return 1
    fi
}

# Run a command, and prevent packages from starting their services: the tests start their own.
without_services() {
    policy=/usr/sbin/policy-rc.d
    [ ! -e "$policy" ] || { "$@"; return; }
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    if "$@"; then rm -f "$policy"; else rm -f "$policy"; return 1; fi
}

find_postgres() {
    postgres_programs=''
    for directory in /usr/lib/postgresql/*/bin; do
        [ ! -x "$directory/initdb" ] || postgres_programs=$directory
    done
}
