"""The tabs with what is made of the protocol on the screen: its schema, its parser, its documentation."""

from collections.abc import Callable

from nicegui import Client, run

from wireloom_generator.lab.layout import Parts
from wireloom_generator.lab.session import Session

_MODULES = {"Spark schema": "spark", "Parser": "parsers", "Documentation": ""}
"""The tabs, with the generated modules that they show."""


class OutputTabs:
    """Fills the tabs of a page. ``painted`` is called after a text has changed."""

    def __init__(self, session: Session, client: Client, parts: Parts, painted: Callable[[], None]) -> None:
        self.session, self.client, self.parts, self.painted = session, client, parts, painted

    async def refresh(self, number: int | None) -> None:
        """Make anew what the open tab shows, if it is one of these; ``number`` is that of the shown record."""
        name = self.parts.tabs.value
        if name in _MODULES:
            await self.show(name, number)

    async def show(self, name: str, number: int | None) -> None:
        """Make what a tab shows of the protocol as it is now."""
        compiled = self.session.compiled
        if compiled is None:
            return
        if name == "Documentation":
            await self.show_page(f"{self.session.message(number)}.md")
        elif name in _MODULES:
            text = await run.io_bound(lambda: compiled.modules[_MODULES[name]])
            with self.client:
                self.parts.codes[name].set_value(text or "")
                self.painted()

    async def show_page(self, name: str) -> None:
        """Show a page of the documentation, or the front page if there is none of that name."""
        compiled = self.session.compiled
        if compiled is None:
            return
        with self.client:
            self.parts.documentation.set_content("…")
        text = await run.io_bound(lambda: compiled.page(name) or compiled.page("index.md"))
        with self.client:
            self.parts.documentation.set_content(text or "")
