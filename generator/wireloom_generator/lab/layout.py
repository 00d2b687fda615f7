"""The widgets of the page, and where they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from nicegui import events, ui

SHORTCUTS = {
    "Ctrl+S": "save the specs",
    "Alt+W": "make a worked example of the record",
    "Alt+PageDown, Alt+PageUp": "next, previous record",
    "F8, Shift+F8": "next, previous problem",
    "F6, Shift+F6": "next, previous part of the page",
    "Esc, then Tab": "leave the editor",
    "↑ ↓ Home End": "from field to field, or from row to row",
    "Enter": "on a field: go to its line in the spec",
    "F1": "this list",
}

_TOGGLE = "no-caps dense unelevated color=none text-color=lab-muted toggle-color=lab-lit toggle-text-color=lab-ink"


class Actions(Protocol):
    """What widgets do."""

    def choose(self, path: Path) -> None: ...
    def add_message(self, name: str) -> bool: ...
    async def filter(self) -> None: ...
    def make_example(self) -> None: ...
    async def over_time(self, by_time: bool) -> None: ...
    def paste(self, text: str) -> bool: ...
    def save(self) -> None: ...
    async def show_tab(self, name: str) -> None: ...
    def step(self, by: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The widgets that change."""

    files: ui.select
    editors: ui.element
    saved: ui.label
    problems: ui.html
    verdict: ui.label
    source: ui.label
    headline: ui.label
    reason: ui.label
    stale: ui.label
    bytes: ui.html
    tree: ui.html
    picture: ui.html
    count: ui.label
    over: ui.toggle
    messages: ui.select
    malformed: ui.checkbox
    text: ui.input
    tabs: ui.tabs
    codes: Mapping[str, ui.codemirror]
    documentation: ui.markdown
    help: ui.dialog


def made(page: Actions, paths: Sequence[Path]) -> Parts:
    """Make the widgets, with the files at ``paths`` to choose from."""
    for name in ("inspection/annotated.css", "assets/lab.css"):
        ui.add_head_html(f'<link rel="stylesheet" href="{name}">')
    for name in ("inspection/annotated.js", "assets/lab.js"):
        ui.add_head_html(f'<script defer src="{name}"></script>')
    help_ = _help()
    source = _header(page, help_)
    with ui.element("main").classes("lab-main"), ui.splitter(horizontal=True, value=56).classes("lab-rows") as rows:
        with rows.before, ui.splitter(value=34).classes("lab-columns") as columns:
            with columns.before:
                spec = _spec(page, paths)
            with columns.after:
                record = _record(page)
        with rows.after:
            lower = _lower(page)
    return Parts(**spec, **record, **lower, source=source, help=help_)


def editor(text: str, changed: Callable[[events.ValueChangeEventArguments[str]], None]) -> ui.codemirror:
    """An editor of YAML."""
    made = ui.codemirror(text, language="YAML", indent="  ", line_wrapping=True, on_change=changed)
    return made.classes("lab-editor").props('aria-label="The spec"')


def question(what: str, answers: Mapping[str, Callable[[], None]]) -> ui.dialog:
    """Ask something."""
    with ui.dialog(value=True) as dialog, ui.card().classes("lab-card"):
        ui.label(what)
        with ui.row():
            for answer, action in answers.items():
                button = ui.button(answer, on_click=action).props("flat no-caps dense")
                button.on_click(dialog.close)
    return dialog


def _header(page: Actions, help_: ui.dialog) -> ui.label:
    with ui.element("header").classes("lab-header"):
        ui.html("<h1>Wireloom lab</h1>", sanitize=False)
        source = ui.label().classes("lab-source")
        _button("Paste bytes", "content_paste", _paste(page).open)
        ui.space()
        dark = ui.dark_mode(None)
        options: dict[Any, str] = {None: "System", False: "Light", True: "Dark"}
        colours = ui.toggle(options, value=None, on_change=lambda event: dark.set_value(event.value))
        colours.props(f'{_TOGGLE} aria-label="Colours"')
        _button("Shortcuts", "keyboard", help_.open)
    return source


def _button(name: str, icon: str, action: Callable[[], Any], hint: str = "") -> ui.button:
    button = ui.button(name, icon=icon, on_click=action).props("flat no-caps dense").classes("lab-button")
    if hint:
        button.tooltip(hint)
    return button


def _help() -> ui.dialog:
    with ui.dialog() as dialog, ui.card().classes("lab-card"):
        rows = "".join(f"<dt><kbd>{keys}</kbd></dt><dd>{what}</dd>" for keys, what in SHORTCUTS.items())
        ui.html(f"<h2>Shortcuts</h2><dl>{rows}</dl>", sanitize=False)
        ui.button("Close", on_click=dialog.close).props("flat no-caps dense")
    return dialog


def _paste(page: Actions) -> ui.dialog:
    with ui.dialog() as dialog, ui.card().classes("lab-card lab-wide"):
        area = ui.textarea("Bytes in hex; # begins a comment").props("autofocus outlined").classes("lab-paste")

        def take() -> None:
            if page.paste(str(area.value or "")):
                dialog.close()

        with ui.row():
            ui.button("Decode them", on_click=take).props("no-caps dense")
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps dense")
    return dialog


def file_names(paths: Sequence[Path]) -> dict[str, str]:
    """What the files to choose from are called, by their paths."""
    return {str(path): f"{path.parent.name}/{path.name}" for path in paths}


def _new_message(page: Actions) -> ui.dialog:
    with ui.dialog() as dialog, ui.card().classes("lab-card"):
        name = ui.input("Name of the message").props("autofocus outlined").classes("lab-new-message")

        def take() -> None:
            if page.add_message(str(name.value or "").strip()):
                dialog.close()

        name.on("keydown.enter", take)
        with ui.row():
            ui.button("Begin its file", on_click=take).props("no-caps dense")
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps dense")
    return dialog


def _spec(page: Actions, paths: Sequence[Path]) -> dict[str, Any]:
    names = file_names(paths)
    with ui.element("section").classes("lab-pane lab-spec").props('aria-label="Spec" data-pane'):
        with ui.element("div").classes("lab-bar"):
            files = ui.select(names, with_input=len(names) > 12).props('dense borderless aria-label="File"')
            files.classes("lab-files").on_value_change(lambda event: page.choose(Path(event.value)))
            saved = ui.label().classes("lab-unsaved").props('aria-live="polite"')
            ui.space()
            verdict = ui.label("checking …").classes("lab-verdict").props('aria-live="polite"')
            _button("", "note_add", _new_message(page).open, "A new message").props('aria-label="A new message"')
            _button("Save", "save", page.save, "Ctrl+S")
        editors = ui.element("div").classes("lab-editors")
        problems = ui.html("", sanitize=False).classes("lab-problem-list")
    return {"files": files, "editors": editors, "saved": saved, "problems": problems, "verdict": verdict}


def _record(page: Actions) -> dict[str, Any]:
    with ui.element("section").classes("lab-pane lab-record wl-record").props('aria-label="Record"'):
        with ui.element("div").classes("lab-bar"):
            headline = ui.label().classes("lab-headline").props('aria-live="polite"')
            ui.space()
            for by, where, what, key in (
                (-1, "left", "Previous record", "PageUp"),
                (1, "right", "Next record", "PageDown"),
            ):
                button = _button("", f"chevron_{where}", partial(page.step, by), f"{what}: Alt+{key}")
                button.props(f'aria-label="{what}"')
            _button("Make an example", "post_add", page.make_example, "Write this record into the spec: Alt+W")
        stale = ui.label().classes("lab-stale").props('role="status"')
        reason = ui.label().classes("wl-reason").props('role="note"')
        stale.set_visibility(False)
        with ui.splitter(value=60).classes("lab-record-columns") as columns:
            with columns.before:
                bytes_ = ui.html("", sanitize=False).classes("lab-bytes")
                bytes_.props('data-pane tabindex="0" aria-label="Bytes"')
            with columns.after:
                tree = ui.html("", sanitize=False).classes("lab-fields").props('data-pane aria-label="Fields"')
    return {"headline": headline, "reason": reason, "stale": stale, "bytes": bytes_, "tree": tree}


def _lower(page: Actions) -> dict[str, Any]:
    names = ("Records", "Spark schema", "Documentation", "Parser")
    with ui.element("section").classes("lab-pane lab-lower").props('aria-label="Capture and outputs" data-pane'):
        with ui.tabs(on_change=lambda event: page.show_tab(str(event.value))) as tabs:
            tabs.props("dense no-caps align=left inline-label")
            for name in names:
                ui.tab(name)
        with ui.tab_panels(tabs, value="Records", animated=False, keep_alive=True).classes("lab-panels"):
            with ui.tab_panel("Records").classes("lab-panel"):
                records = _records(page)
            codes = {}
            for name in ("Spark schema", "Parser"):
                with ui.tab_panel(name).classes("lab-panel"):
                    codes[name] = ui.codemirror("", language="Python").classes("lab-editor lab-code")
                    codes[name].disable()
            with ui.tab_panel("Documentation").classes("lab-panel lab-scrolled"):
                extras = ["code-friendly", "fenced-code-blocks", "tables"]
                documentation = ui.markdown("", extras=extras).classes("lab-documentation")
    return {**records, "tabs": tabs, "codes": codes, "documentation": documentation}


def _records(page: Actions) -> dict[str, Any]:
    with ui.element("div").classes("lab-capture"):
        picture = ui.html("", sanitize=False).classes("lab-picture")
    with ui.element("div").classes("lab-bar lab-filters"):
        count = ui.label().classes("lab-count").props('aria-live="polite"')
        ui.space()
        over = ui.toggle({False: "Offset", True: "Time"}, value=False)
        over.props(f'{_TOGGLE} aria-label="The picture is over"')
        over.on_value_change(lambda event: page.over_time(bool(event.value)))
        messages = ui.select([], multiple=True, label="Messages", on_change=page.filter)
        messages.props("dense options-dense clearable")
        text = ui.input("Text, or bytes in hex", on_change=page.filter).props("dense clearable debounce=400")
        malformed = ui.checkbox("Malformed", on_change=page.filter).props("dense")
    grid = ui.aggrid(
        {
            "columnDefs": [
                {"field": "number", "headerName": "Record", "width": 100, "type": "rightAligned"},
                {"field": "offset", "headerName": "Offset", "width": 110, "type": "rightAligned"},
                {"field": "length", "headerName": "Bytes", "width": 80, "type": "rightAligned"},
                {"field": "message", "headerName": "Message", "width": 180},
                {"field": "values", "headerName": "Values", "flex": 1, "minWidth": 300},
            ],
            "defaultColDef": {"sortable": False, "suppressMovable": True, "suppressHeaderMenuButton": True},
            "rowModelType": "infinite",
            "cacheBlockSize": 100,
            "maxBlocksInCache": 20,
            "rowHeight": 26,
            "headerHeight": 28,
            "rowSelection": {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True},
            ":onGridReady": "(event) => lab.grid(event.api)",
            ":onCellFocused": "(event) => lab.focused(event)",
            ":rowClassRules": "{'lab-malformed-row': (row) => row.data?.malformed}",
        },
        auto_size_columns=False,
    ).classes("lab-grid")
    grid.props('aria-label="Records"')
    return {
        "picture": picture,
        "count": count,
        "over": over,
        "messages": messages,
        "text": text,
        "malformed": malformed,
    }
