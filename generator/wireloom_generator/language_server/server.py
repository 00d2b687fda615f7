"""The Language Server Protocol for specs, over standard input and output; the answers are those of other modules."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from wireloom_generator.language_server import navigation
from wireloom_generator.language_server.completion import CompletionKind, completions
from wireloom_generator.language_server.diagnostics import canonical, fixes, page_of, span_of
from wireloom_generator.language_server.hover import hover
from wireloom_generator.language_server.occurrences import SymbolKind
from wireloom_generator.language_server.outline import Outlined, outline
from wireloom_generator.language_server.places import FileRange, TextRange
from wireloom_generator.language_server.workspace import Document, Workspace, is_spec
from wireloom_generator.problems import Problem, Severity

NAME = "wireloom"
_PAUSE = 0.15
"""How many seconds nobody has typed when a spec is checked."""
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    SymbolKind.TYPE: lsp.SymbolKind.Struct,
    SymbolKind.ENUM: lsp.SymbolKind.Enum,
    SymbolKind.VALUE: lsp.SymbolKind.EnumMember,
    SymbolKind.TABLE: lsp.SymbolKind.Struct,
    SymbolKind.FIELD: lsp.SymbolKind.Field,
    SymbolKind.SECTION: lsp.SymbolKind.Namespace,
    SymbolKind.PARAMETER: lsp.SymbolKind.Variable,
    SymbolKind.INPUT: lsp.SymbolKind.Variable,
    SymbolKind.MESSAGE: lsp.SymbolKind.Class,
    SymbolKind.VARIANT: lsp.SymbolKind.Class,
}
_COMPLETIONS = {
    CompletionKind.KEY: lsp.CompletionItemKind.Property,
    CompletionKind.WORD: lsp.CompletionItemKind.Keyword,
    CompletionKind.FIELD: lsp.CompletionItemKind.Field,
    CompletionKind.TYPE: lsp.CompletionItemKind.Struct,
    CompletionKind.ENUM: lsp.CompletionItemKind.Enum,
    CompletionKind.VALUE: lsp.CompletionItemKind.EnumMember,
    CompletionKind.MESSAGE: lsp.CompletionItemKind.Class,
}
_FORMAT = "source.fixAll.wireloom"
"""The kind of action that formats a file, for editors that do it on saving."""


class SpecServer(LanguageServer):
    """A server with the specs that an editor has opened."""

    def __init__(self) -> None:
        # Texts are sent whole: pygls 2.1 puts an edit behind the end of the last line before its last character.
        super().__init__(NAME, version("wireloom"), text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.specs = Workspace()
        self.problems: dict[Path, list[Problem]] = {}
        self.waiting: dict[Path, asyncio.TimerHandle] = {}

    def document(self, uri: str) -> Document | None:
        """An open spec; None for other files."""
        path = _path(uri)
        return self.specs.document(path) if path is not None and path in self.specs.texts else None

    def place(self, document: Document, position: lsp.Position) -> tuple[Path, int, int]:
        """A place of a document, with its column in characters."""
        lines = [f"{line}\n" for line in document.lines]  # without a break, an end would be a character too early
        found = self.workspace.position_codec.position_from_client_units(lines, position)
        return document.path, found.line, found.character

    def range(self, document: Document, span: TextRange, last: int | None = None) -> lsp.Range:
        """A part of a line, or of all lines up to the end of the ``last``, in the units of the editor."""
        end = lsp.Position(span.line, span.end) if last is None else lsp.Position(last, len(document.lines[last]))
        found = lsp.Range(lsp.Position(span.line, span.start), end)
        return self.workspace.position_codec.range_to_client_units(document.lines, found)

    def location(self, place: FileRange) -> lsp.Location:
        return lsp.Location(_uri(place.path), self.range(self.specs.document(place.path), place.span))

    def edits(self, edits: Iterable[tuple[Path, TextRange, str]]) -> lsp.WorkspaceEdit:
        """Words to write in some places of files."""
        changes: dict[str, list[lsp.TextEdit]] = {}
        for path, span, word in edits:
            edit = lsp.TextEdit(self.range(self.specs.document(path), span), word)
            changes.setdefault(_uri(path), []).append(edit)
        return lsp.WorkspaceEdit(changes=dict(changes))

    def later(self, path: Path) -> None:
        """Check a spec when nobody has typed for a moment."""
        if path in self.waiting:
            self.waiting[path].cancel()
        self.waiting[path] = asyncio.get_running_loop().call_later(_PAUSE, self.check, path)

    def check(self, path: Path) -> None:
        """Check the protocols that a file is part of, and publish the problems of all their files that have some."""
        found = self.specs.check(path)
        before = {each for each in found if self.problems.get(each)}
        self.problems |= found
        for each in sorted({path, *before, *(each for each, problems in found.items() if problems)}):
            self.publish(each)

    def publish(self, path: Path) -> None:
        document = self.specs.document(path)
        diagnostics = [self.diagnostic(document, problem) for problem in self.problems.get(path, ())]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(_uri(path), diagnostics))

    def diagnostic(self, document: Document, problem: Problem) -> lsp.Diagnostic:
        page = page_of(problem.rule)
        return lsp.Diagnostic(
            range=self.range(document, span_of(document, problem)),
            message=f"{problem.what}; {problem.hint}" if problem.hint else problem.what,
            severity=_SEVERITIES[problem.severity],
            code=problem.rule,
            code_description=None if page is None else lsp.CodeDescription(page.as_uri()),
            source=NAME,
        )


def server() -> SpecServer:
    """A server with everything that it answers."""
    made = SpecServer()
    for name, answer, options in _FEATURES:
        made.feature(name, options)(answer)
    return made


def _path(uri: str) -> Path | None:
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None


def _uri(path: Path) -> str:
    return uris.from_fs_path(str(path)) or path.as_uri()


def _opened(ls: SpecServer, params: lsp.DidOpenTextDocumentParams) -> None:
    path = _path(params.text_document.uri)
    if path is not None and is_spec(path, params.text_document.text):
        ls.specs.texts[path] = params.text_document.text
        ls.check(path)


def _changed(ls: SpecServer, params: lsp.DidChangeTextDocumentParams) -> None:
    path = _path(params.text_document.uri)
    if path is not None and path in ls.specs.texts:
        ls.specs.texts[path] = ls.workspace.get_text_document(params.text_document.uri).source
        ls.later(path)


def _saved(ls: SpecServer, params: lsp.DidSaveTextDocumentParams) -> None:
    path = _path(params.text_document.uri)
    if path is not None and path in ls.specs.texts:
        ls.check(path)


def _closed(ls: SpecServer, params: lsp.DidCloseTextDocumentParams) -> None:
    path = _path(params.text_document.uri)
    if path is not None and ls.specs.texts.pop(path, None) is not None:
        ls.check(path)


def _on_disk(ls: SpecServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    changed = {path for change in params.changes if (path := _path(change.uri)) is not None}
    folders = {path.parent: path for path in changed if path not in ls.specs.texts}
    for path in folders.values():
        ls.check(path)


def _hover(ls: SpecServer, params: lsp.HoverParams) -> lsp.Hover | None:
    document = ls.document(params.text_document.uri)
    found = hover(ls.specs, *ls.place(document, params.position)) if document is not None else None
    if document is None or found is None:
        return None
    span, text = found
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), ls.range(document, span))


def _completion(ls: SpecServer, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    document = ls.document(params.text_document.uri)
    found = completions(ls.specs, *ls.place(document, params.position)) if document is not None else None
    if document is None or found is None:
        return None
    span, offered = found
    range_ = ls.range(document, span)
    items = [
        lsp.CompletionItem(
            label=each.label,
            kind=_COMPLETIONS[each.kind],
            detail=each.detail or None,
            documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, each.text) if each.text else None,
            sort_text=f"{number:04}",
            text_edit=lsp.TextEdit(range_, each.insert or each.label),
        )
        for number, each in enumerate(offered)
    ]
    return lsp.CompletionList(is_incomplete=False, items=items)


def _definition(ls: SpecServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return _locations(ls, params.text_document.uri, params.position, navigation.declarations)


def _references(ls: SpecServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    return _locations(ls, params.text_document.uri, params.position, navigation.references)


def _locations(
    ls: SpecServer,
    uri: str,
    position: lsp.Position,
    found: Callable[[Workspace, Path, int, int], Sequence[FileRange]],
) -> list[lsp.Location]:
    document = ls.document(uri)
    places = found(ls.specs, *ls.place(document, position)) if document is not None else ()
    return [ls.location(place) for place in places]


def _prepare_rename(ls: SpecServer, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    document = ls.document(params.text_document.uri)
    found = navigation.name_at(ls.specs, *ls.place(document, params.position)) if document is not None else None
    return None if document is None or found is None else ls.range(document, found[0].span)


def _rename(ls: SpecServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    document = ls.document(params.text_document.uri)
    if document is None:
        return None
    try:
        places = navigation.renamed(ls.specs, *ls.place(document, params.position), params.new_name)
    except navigation.RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return ls.edits((place.path, place.span, params.new_name) for place in places)


def _symbols(ls: SpecServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    document = ls.document(params.text_document.uri)

    def symbol(document: Document, each: Outlined) -> lsp.DocumentSymbol:
        inner = [symbol(document, part) for part in each.inner]
        around = ls.range(document, each.span._replace(start=0), max(each.last, each.span.line))
        return lsp.DocumentSymbol(
            each.name, _KINDS[each.kind], around, ls.range(document, each.span), each.detail or None, children=inner
        )

    return [] if document is None else [symbol(document, each) for each in outline(document)]


def _formatting(ls: SpecServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    document = ls.document(params.text_document.uri)
    text = canonical(document) if document is not None else None
    return None if document is None or text is None else [lsp.TextEdit(_all(ls, document), text)]


def _all(ls: SpecServer, document: Document) -> lsp.Range:
    return ls.range(document, TextRange(0, 0, 0), len(document.lines) - 1)


def _actions(ls: SpecServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    document = ls.document(params.text_document.uri)
    if document is None:
        return []
    wanted = params.context.only
    found: list[lsp.CodeAction] = []
    if wanted is None or any(str(each).startswith("quickfix") for each in wanted):
        for problem in ls.problems.get(document.path, ()):
            at = ls.diagnostic(document, problem)
            if at.range.start.line <= params.range.end.line and params.range.start.line <= at.range.end.line:
                for fix in fixes(document, problem):
                    edit = ls.edits([(document.path, fix.span, fix.word)])
                    found.append(lsp.CodeAction(fix.title, lsp.CodeActionKind.QuickFix, [at], edit=edit))
    if wanted is None or any(_FORMAT.startswith(str(getattr(each, "value", each))) for each in wanted):
        text = canonical(document)
        if text is not None:
            changes = {params.text_document.uri: [lsp.TextEdit(_all(ls, document), text)]}
            found.append(lsp.CodeAction("Format with wireloom fmt", _FORMAT, edit=lsp.WorkspaceEdit(changes=changes)))
    return found


_FEATURES: tuple[tuple[str, Callable[..., object], object], ...] = (
    (lsp.TEXT_DOCUMENT_DID_OPEN, _opened, None),
    (lsp.TEXT_DOCUMENT_DID_CHANGE, _changed, None),
    (lsp.TEXT_DOCUMENT_DID_SAVE, _saved, None),
    (lsp.TEXT_DOCUMENT_DID_CLOSE, _closed, None),
    (lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, _on_disk, None),
    (lsp.TEXT_DOCUMENT_HOVER, _hover, None),
    (lsp.TEXT_DOCUMENT_COMPLETION, _completion, lsp.CompletionOptions(trigger_characters=[".", " ", "{", "["])),
    (lsp.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (lsp.TEXT_DOCUMENT_REFERENCES, _references, None),
    (lsp.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
    (lsp.TEXT_DOCUMENT_RENAME, _rename, lsp.RenameOptions(prepare_provider=True)),
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (lsp.TEXT_DOCUMENT_FORMATTING, _formatting, None),
    (
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, _FORMAT]),
    ),
)
