#!/usr/bin/env bash
# Guess: dnspython reads every message that it writes itself.
# What happens: the domain of an A record of class CH (Chaosnet) is written with a pointer to an earlier
# name. Read again, the same message is refused: DecompressionForbidden.
# Version: dnspython 2.9.2.
# Why it matters: round trips through the library are a usual way to make test data, and a service that answers so is
# not understood by its own clients.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dnspython==2.9.2
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import dns.message
import dns.name
import dns.rrset
import dns.version

question = dns.message.make_query("host.example.", "A", rdclass="CH")
answer = dns.message.make_response(question)
answer.answer.append(dns.rrset.from_text("host.example.", 0, "CH", "A", "other.example. 0521"))
wire = answer.to_wire()
print("guess: what dnspython writes it reads")
print("version:", dns.version.version)
print("written:", wire.hex())
try:
    dns.message.from_wire(wire)
except dns.name.DecompressionForbidden as error:
    print("read:", repr(error))
else:
    sys.exit("read without an error: this has changed")
PYTHON
