"""The examples that make up sessions of DCP, which are in a folder of programs and in no package."""

import sys

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "examples"))
try:
    import dcp_documents
    import dcp_frames
    import dcp_session
    from dcp_frames import Stream, Write
finally:
    sys.path.pop(0)

__all__ = ["Stream", "Write", "dcp_documents", "dcp_frames", "dcp_session"]
