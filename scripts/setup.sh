#!/bin/sh
# What `make` needs before anything else. Called by the Makefile:
#   setup.sh venv      .venv in the checkout, with this project and all its tools in it, and git for its tests
#   setup.sh oldest    .venv-oldest beside it, with the oldest of everything that runs in Spark, and what tests that
#   setup.sh python X  .venv-X, the same as .venv with Python X, such as 3.13
#   setup.sh interop   .venv-interop, with the newest of everything that takes tables, whatever the constraints say
#   setup.sh java      Java 17 or newer for Spark
#   setup.sh browser   Chromium and its driver for the tests of the documentation site and of the lab
#   setup.sh tshark    Wireshark's tshark for the tests of the dissectors and of recorded traffic, and tcpdump
#   setup.sh memcached memcached for the tests of its protocol
#   setup.sh cobol     GnuCOBOL for a test of imported copybooks, which is skipped without it
#   setup.sh luacheck  luacheck for `make lint`, which reads wireloom.lua
# What is missing is installed where that is possible (root, apt); otherwise one sentence says what to install.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "setup: $*" >&2
    exit 1
}

apt_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "setup: installing $*" >&2
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >&2
}

# The first python that is new enough. $PYTHON, where set, is asked first.
find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

make_venv() {
    python=$(find_python) || { apt_install python3 python3-venv && python=$(find_python); } ||
        fail "Python 3.11 or newer is needed; install it, or name it: make setup PYTHON=/path/to/python3"
    # Debian ships ensurepip, without which venv fails, in a package of its own.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        apt_install "$package" || fail "$python cannot make virtual environments; install $package"
    fi
    "$python" -m venv --clear .venv
}

installed() {
    "$1/bin/python" -m pip --disable-pip-version-check --quiet install --constraint constraints.txt \
        --editable '.[all,docs,dev]'
}

setup_venv() {
    # An environment that works is kept and brought up to date; a broken one is made again.
    .venv/bin/python -m pip --version >/dev/null 2>&1 || make_venv
    installed .venv
    # All but the tests of git revisions works without.
    command -v git >/dev/null || apt_install git ||
        echo "setup: git is missing, which some tests need; on Debian: apt-get install git" >&2
}

setup_oldest() {
    .venv/bin/python -m venv --clear .venv-oldest
    .venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints-oldest.txt \
        --editable '.[spark]' pytest pytest-xdist hypothesis
}

setup_python() {
    "python$1" -m venv --clear ".venv-$1"
    installed ".venv-$1"
}

setup_interop() {
    .venv/bin/python -m venv --clear .venv-interop
    .venv-interop/bin/python -m pip --disable-pip-version-check --quiet install --upgrade \
        --editable '.[spark,sql,delta]' polars pandas 'dask[dataframe]' 'pyiceberg[sql-sqlite]'
}

# The major version of the Java that Spark would start, or nothing.
java_version() {
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p'
}

has_java() {
    version=$(java_version)
    [ "${version:-0}" -ge 17 ]
}

setup_java() {
    has_java && return
    if [ -z "${JAVA_HOME:-}" ]; then
        apt_install openjdk-17-jre-headless || apt_install default-jre-headless || true
    fi
    has_java || fail "Spark needs Java 17 or newer (JAVA_HOME, or java on PATH); on Debian: apt-get install default-jre-headless"
}

has_browser() {
    command -v chromium >/dev/null && command -v chromedriver >/dev/null
}

setup_browser() {
    has_browser || apt_install chromium chromium-driver || true
    has_browser || fail "the site's tests need chromium and chromedriver on PATH; on Debian: apt-get install chromium chromium-driver"
}

has_tshark() {
    command -v tshark >/dev/null
}

setup_tshark() {
    has_tshark || apt_install tshark || true
    has_tshark || fail "the dissectors' tests need tshark on PATH; on Debian: apt-get install tshark"
    command -v tcpdump >/dev/null || apt_install tcpdump || true # without it, tests that record are skipped
}

has_memcached() {
    command -v memcached >/dev/null
}

setup_memcached() {
    has_memcached || apt_install memcached || true
    has_memcached || fail "the tests of its protocol need memcached on PATH; on Debian: apt-get install memcached"
}

setup_cobol() {
    command -v cobc >/dev/null || apt_install gnucobol3 ||
        echo "setup: GnuCOBOL is missing, which a test of copybooks needs; on Debian: apt-get install gnucobol3" >&2
}

has_luacheck() {
    command -v luacheck >/dev/null
}

setup_luacheck() {
    has_luacheck || apt_install lua-check || true
    has_luacheck || fail "make lint needs luacheck on PATH; on Debian: apt-get install lua-check"
}

case "${1:-}" in
    venv) setup_venv ;;
    oldest) setup_oldest ;;
    python) setup_python "$2" ;;
    interop) setup_interop ;;
    java) setup_java ;;
    browser) setup_browser ;;
    tshark) setup_tshark ;;
    memcached) setup_memcached ;;
    cobol) setup_cobol ;;
    luacheck) setup_luacheck ;;
    *) fail "usage: setup.sh venv|oldest|python X|interop|java|browser|tshark|memcached|cobol|luacheck" ;;
esac
