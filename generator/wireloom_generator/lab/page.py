"""The page of the lab: what a session has, on widgets of NiceGUI, and what people do there, told to the session."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import background_tasks, context, events, run, ui

from wireloom_generator.lab import layout
from wireloom_generator.lab.capture_bytes import NoCaptureError, pasted
from wireloom_generator.lab.output_tabs import OutputTabs
from wireloom_generator.lab.rendering import problems_list, said
from wireloom_generator.lab.session import RecordFilter, Session
from wireloom_generator.lab.worked_example import NoExampleError
from wireloom_generator.lab.workspace import ChangedError, NoNewFileError, UnreadableError

PAUSE = 0.25
"""For so many seconds nothing is typed before a draft is checked."""
TICK = 0.5
"""How often the page shows how far the records of a capture are found, in seconds."""


class Page:
    """One open page. All its methods run where the server handles events; what takes time is done by other threads."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.client = context.client
        self.editors: dict[Path, ui.codemirror] = {}
        self.selected: int | None = None
        self.offset = 0
        """The byte at which the record that is shown begins, by which it is found again after an edit."""
        self.by_time = False
        self.edits = 0
        """How many edits there were: what was checked for an earlier one is dropped."""
        self.awaited = True
        """Whether the record at that byte was not found yet since the last check."""
        self.shown = (-1, False)
        """How many records the picture had, and whether those were all."""

    def build(self) -> None:
        """Make the page."""
        self.parts = layout.made(self, self.session.workspace.files)
        self.outputs = OutputTabs(self.session, self.client, self.parts, partial(self._call, "theme"))
        for name, handler in self._handlers().items():
            ui.on(name, handler)
        self.open(self.session.path)
        self._show_record()
        ui.timer(TICK, self._tick)
        self.client.on_connect(self._connected)

    def _connected(self) -> None:
        """Begin to work when the page is painted, which would wait for it otherwise."""
        self._call("page", self.client.id)
        if self.session.compiled is None:
            background_tasks.create(self._check(self.edits))

    def retire(self) -> None:
        """Let another page edit the drafts, which are the same for all."""
        for editor in self.editors.values():
            editor.disable()
        with self.client:
            ui.notify("The lab is open in another page now; this one no longer edits.", type="warning", timeout=0)

    def close(self) -> None:
        """Stop what is done for the page."""
        self.edits += 1
        if self.session.index is not None:
            self.session.index.stop()

    def rows(self, start: int, stop: int) -> dict[str, object]:
        """Some rows of the table of records, and how many it has."""
        return {"rows": self.session.rows(start, min(stop, start + 500)), "total": len(self.session.numbers())}

    def _handlers(self) -> dict[str, Callable[[events.GenericEventArguments], Any]]:
        return {
            "lab_record": lambda event: self.select(int(event.args)),
            "lab_step": lambda event: self.step(int(event.args)),
            "lab_place": lambda event: self._place(float(event.args)),
            "lab_open": self._open_line,
            "lab_save": lambda _: self.save(),
            "lab_example": lambda _: self.make_example(),
            "lab_page": lambda event: self.outputs.show_page(str(event.args).partition("#")[0]),
            "lab_help": lambda _: self.parts.help.open(),
        }

    # Files

    def choose(self, path: Path) -> None:
        """Show the file that was chosen, unless it is shown."""
        if path != self.session.path:
            self.open(path)

    def add_message(self, name: str) -> bool:
        """Begin the file of a message, and show it; whether that worked."""
        try:
            path = self.session.workspace.add_message(self.session.folder, name)
        except NoNewFileError as error:
            ui.notify(str(error), type="negative")
            return False
        self.parts.files.set_options(layout.file_names(self.session.workspace.files))
        self.open(path)
        self._schedule()
        return True

    def _open_line(self, event: events.GenericEventArguments) -> None:
        self.open(Path(str(event.args["path"])), int(event.args["line"]), focus=bool(event.args["focus"]))

    def open(self, path: Path, line: int = 0, *, focus: bool = False) -> None:
        """Show a file in the editor, and a line of it, which gets the ``focus`` if that is asked for."""
        if path not in self.session.workspace.drafts:
            ui.notify(f"{path} is not among the specs that were named", type="warning")
            return
        folder = self.session.folder
        self.session.open(path)
        if path not in self.editors:
            with self.parts.editors:
                text = self.session.workspace.drafts[path].text
                self.editors[path] = layout.editor(text, partial(self._edited, path))
        for other, editor in self.editors.items():
            editor.set_visibility(other == path)
        self.parts.files.set_value(str(path))
        self._call("file", str(path), self.editors[path].id, line, focus)
        self._show_saved()
        if self.session.folder != folder:
            self._schedule()

    def _edited(self, path: Path, event: events.ValueChangeEventArguments[str]) -> None:
        self.session.workspace.edit(path, event.value)
        self._show_saved()
        self._schedule()

    def _show_saved(self) -> None:
        unsaved = self.session.workspace.unsaved
        self.parts.saved.set_text(
            "" if not unsaved else "not saved" if len(unsaved) == 1 else f"{len(unsaved)} not saved"
        )
        self._call("unsaved", len(unsaved))

    def save(self, *, over: bool = False) -> None:
        """Write all drafts that are not saved; ask before a file is overwritten that was changed meanwhile."""
        workspace = self.session.workspace
        saved = []
        for path in workspace.unsaved:
            try:
                workspace.save(path, over=over)
                saved.append(path.name)
            except ChangedError as error:
                self._ask(path, str(error))
            except OSError as error:
                ui.notify(f"{path}: {error.strerror or error}", type="negative")
        if saved:
            ui.notify(f"saved {', '.join(saved)}", type="positive")
        self._show_saved()

    def _ask(self, path: Path, what: str) -> None:
        """Ask what to do about a file that was changed on disk."""

        def overwrite() -> None:
            self.session.workspace.save(path, over=True)
            self._show_saved()

        def reload() -> None:
            try:
                text = self.session.workspace.reload(path)
            except (UnreadableError, OSError) as error:
                ui.notify(str(error), type="negative")
                return
            if path in self.editors:
                self.editors[path].set_value(text)
            self._show_saved()

        answers = {"Write mine over it": overwrite, "Take what is on disk": reload, "Do nothing": lambda: None}
        layout.question(what, answers)

    # Checks

    def _schedule(self) -> None:
        self.edits += 1
        background_tasks.create(self._check(self.edits))

    async def _check(self, edit: int) -> None:
        """Check the drafts after a pause, unless there are newer ones meanwhile."""
        await asyncio.sleep(PAUSE if self.session.compiled or self.session.problems else 0)
        if edit != self.edits:
            return
        check = await run.io_bound(self.session.check)
        if edit != self.edits or check is None:
            return
        with self.client:
            index = self.session.adopt(check)
            self._show_problems()
            self._show_stale()
            if index is None:
                return
            self.shown, self.awaited = (-1, False), True
            self.parts.messages.set_options(index.names)
            background_tasks.create(self._build(index.build))
        if check.compiled is not None:
            compiled = check.compiled
            worked = await run.io_bound(lambda: compiled.worked)
            if edit == self.edits and worked is not None:
                with self.client:
                    self.session.fail_examples(worked[1])
                    self._show_problems()
                    await self.outputs.refresh(self.selected)

    async def _build(self, build: Callable[[], None]) -> None:
        await run.io_bound(build)

    def _show_problems(self) -> None:
        problems = self.session.problems
        self.parts.problems.set_content(problems_list(problems, lambda path: path.name))
        self.parts.verdict.set_text(_counted(len(problems), "problem") if problems else "no problems")
        self.parts.verdict.classes(replace="lab-verdict " + ("lab-bad" if self.session.errors else "lab-good"))
        listed = [
            {
                "path": str(problem.location.path),
                "line": problem.location.line,
                "column": problem.location.column,
                "severity": problem.severity.value,
                "said": said(problem),
            }
            for problem in problems
        ]
        self._call("problems", listed)

    def _show_stale(self) -> None:
        note = self.session.note
        if self.session.is_stale and not note and self.session.compiled is not None:
            note = "The spec has an error. This is what its last version without one made of the bytes."
        self.parts.stale.set_text(note)
        self.parts.stale.set_visibility(bool(note))
        self._call("stale", bool(note))

    # Records

    async def _tick(self) -> None:
        """Show what was found since the last time."""
        index = self.session.index
        if index is None:
            return
        found = index.found
        shown = len(found), index.done
        if self.shown == shown:
            return
        first, self.shown = self.shown[0] <= 0, shown
        if self.awaited and (found.end > self.offset or index.done):
            self.awaited = False
            self.selected = self.session.nearest(self.offset)
            self._show_record()
        await self._list(anew=first)
        await self._draw()

    async def _list(self, *, anew: bool) -> None:
        """Show how many records are listed, and let the table ask for them, ``anew`` if others are."""
        numbers = await run.io_bound(self.session.numbers)
        if numbers is not None:
            with self.client:
                self._show_count(len(numbers))
                self._call("records", len(numbers), anew)

    async def _draw(self) -> None:
        """Draw the picture of the capture."""
        picture = await run.io_bound(self.session.picture, by_time=self.by_time)
        with self.client:
            self.parts.picture.set_content(picture or "")

    def _show_count(self, listed: int) -> None:
        index = self.session.index
        if index is None:
            return
        found = index.found
        shown = f"{listed:,} of " if listed != len(found) else ""
        share = "" if index.done else f", {index.share_read:.0%} read"
        spoiled = int(found.malformed.sum())
        wrong = f", {spoiled:,} malformed" if spoiled else ""
        counted = f"{shown}{_counted(len(found), 'record')}{wrong}{share}{f', in {index.note}' if index.note else ''}"
        self.parts.count.set_text(index.error or counted)

    def select(self, number: int) -> None:
        """Show a record."""
        found = self.session.found
        if found is not None and 0 <= number < len(found):
            self.selected, self.offset = number, int(found.offset[number])
            self._show_record()

    def step(self, by: int) -> None:
        """Show another of the listed records."""
        numbers = self.session.numbers()
        if not len(numbers):
            return
        at = 0
        if self.selected is not None:
            at = (
                numbers.index(self.selected) if isinstance(numbers, range) else int(numbers.searchsorted(self.selected))
            )
        to = max(0, min(len(numbers) - 1, at + by))
        self.select(int(numbers[to]))
        self._call("row", to)

    def _place(self, share: float) -> None:
        number = self.session.at_place(share, by_time=self.by_time)
        if number is not None:
            self.select(number)
            numbers = self.session.numbers()
            if isinstance(numbers, range):
                self._call("row", number)

    def _show_record(self) -> None:
        view = self.session.record(self.selected)
        self.parts.headline.set_text(view.headline)
        self.parts.reason.set_text(view.reason)
        self.parts.reason.set_visibility(bool(view.reason))
        self.parts.bytes.set_content(view.bytes if view.headline else _EMPTY)
        self.parts.tree.set_content(view.tree or '<p class="lab-empty">No field is known yet.</p>')
        self.parts.source.set_text(f"{self.session.capture.name}, {_counted(self.session.capture.size, 'byte')}")
        self._call("record")

    async def filter(self) -> None:
        """List the records that the widgets ask for."""
        parts = self.parts
        self.session.wanted = RecordFilter(
            tuple(parts.messages.value or ()), bool(parts.malformed.value), str(parts.text.value or "").strip()
        )
        await self._list(anew=True)

    async def over_time(self, by_time: bool) -> None:
        """Draw the picture over time, or over offset."""
        index = self.session.index
        self.by_time = by_time and index is not None and bool(index.times)
        if by_time and not self.by_time:
            ui.notify("no field of these records is a time; give one as: {timestamp: …}", type="info")
            self.parts.over.set_value(False)
        await self._draw()

    def paste(self, text: str) -> bool:
        """Take bytes that were pasted as the capture; whether that worked."""
        try:
            self.session.given = pasted(text)
        except NoCaptureError as error:
            ui.notify(str(error), type="negative")
            return False
        self.selected, self.offset = None, 0
        self._schedule()
        return True

    def make_example(self) -> None:
        """Write the record that is shown into its spec, as a worked example."""
        if self.selected is None:
            ui.notify("There is no record to make an example of.")
            return
        if self.session.is_stale:
            ui.notify("The spec has an error; correct it first, so that the example says what the spec means.")
            return
        try:
            path, text, line = self.session.example(self.selected, f"Record at {self.offset:#x}")
        except NoExampleError as error:
            ui.notify(f"This record cannot be a worked example: {error}.", type="warning")
            return
        self.open(path)
        self.editors[path].set_value(text)
        self._call("file", str(path), self.editors[path].id, line, True)
        ui.notify(f"added to {path.name}; give it a better name, and save it with Ctrl-S", type="positive")

    async def show_tab(self, name: str) -> None:
        """Make what a tab shows."""
        await self.outputs.show(name, self.selected)

    def _call(self, function: str, *arguments: object) -> None:
        """Call a function of the page's script."""
        with self.client:
            ui.run_javascript(f"lab.{function}({', '.join(map(json.dumps, arguments))})")


_EMPTY = '<p class="lab-empty">There are no bytes yet. Paste some, or name a capture when you start the lab.</p>'


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
