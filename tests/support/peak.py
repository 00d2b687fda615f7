"""The program with its own peak of memory: ``python -c PROGRAM decode …`` tells it last, in MiB, on standard error.

What ``getrusage`` tells instead begins with the size of the process that started it.
"""

PROGRAM = (
    "import re, sys; from wireloom.cli import app; app(sys.argv[1:], standalone_mode=False);"
    "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read());"
    "print(int(peak[1]) // 1024, file=sys.stderr)"
)
