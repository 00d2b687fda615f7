#!/usr/bin/env bash
# Guess: with -std=ibm, GnuCOBOL lays out SYNC as IBM's Language Reference says ("Slack bytes"): a COMP of ten digits and
# more is aligned to four bytes, and what is unused before the first item of a group is before the group.
# What happens: it aligns such a COMP to eight bytes, and begins the group before the unused bytes.
# Version: GnuCOBOL 3.1.2 of Debian 12.
# Why it matters: the same copybook has other offsets than on the mainframe, so data written here is misread there.
set -euo pipefail
command -v cobc >/dev/null || { echo "cobc is needed; on Debian: apt-get install gnucobol3"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/sync.cob" <<'COBOL'
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SYNC-SIZES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 A.
          05 A-1 PIC X.
          05 A-2 PIC S9(10) COMP SYNC.
       01 B.
          05 B-1 PIC X(7).
          05 B-2.
             10 B-3 PIC S9(6) COMP SYNC.
       PROCEDURE DIVISION.
           DISPLAY LENGTH OF A " " LENGTH OF B-2.
           STOP RUN.
COBOL
cobc -x -std=ibm -o "$folder/sync" "$folder/sync.cob"
found=$("$folder/sync")
echo "guess: 12 4"
cobc --version | head -1
echo "found: $found"
[ "$found" = "16 5" ] || { echo "this has changed"; exit 1; }
