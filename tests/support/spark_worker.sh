#!/bin/sh
exec "$WIRELOOM_PYTHON" -P "$(dirname "$0")/spark_worker.py" "$@"
