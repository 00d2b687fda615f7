"""Records explained byte by byte: what each byte is, as a tree of fields. Needs the codec alone, and prints nothing."""

from wireloom.codec.tracing import SpanKind
from wireloom.inspection.html import fragment, page, script, stylesheet
from wireloom.inspection.record import Failure, Inspected, Shown, inspect_record

__all__ = ["Failure", "Inspected", "Shown", "SpanKind", "fragment", "inspect_record", "page", "script", "stylesheet"]
