"""Files → specs: a protocol with its messages and the libraries it imports. Names are indexed, not resolved."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wireloom_generator import naming
from wireloom_generator.problems import Location, Problem, closest
from wireloom_generator.reading import limits, shape, source, syntax
from wireloom_generator.reading.unrolling import unrolled


@dataclass(frozen=True)
class Spec:
    """One protocol as written. ``shared`` is the protocol file and every library it imports, directly or not."""

    folder: Path
    protocol: syntax.Protocol
    messages: tuple[syntax.Message, ...]
    libraries: tuple[syntax.Library, ...]

    @property
    def shared(self) -> tuple[syntax.Protocol | syntax.Library, ...]:
        return (self.protocol, *self.libraries)

    @cached_property
    def record(self) -> syntax.Record:
        """The record of the protocol, or else of a library."""
        return next(filter(None, (part.record for part in self.shared)))

    @property
    def lists(self) -> Iterator[tuple[syntax.Entry, ...]]:
        """The lists of fields of the record, of messages, and of the capture's header."""
        if self.protocol.capture is not None:
            yield self.protocol.capture.fields
        yield self.record.fields
        for message in self.messages:
            yield from message.sections.values()
            yield from (entries for variant in message.variants for entries in variant.sections.values())

    @cached_property
    def is_whole(self) -> bool:
        """Whether every file of the folder could be read; if not, rules cannot know what is missing."""
        read = {part.at.path for part in (*self.shared, *self.messages)}
        return all(path in read for path in files_of(self.folder))

    @cached_property
    def structs(self) -> dict[str, syntax.Struct]:
        """Shared structs by name; the protocol's own hide those of libraries."""
        return {struct.name: struct for shared in reversed(self.shared) for struct in shared.types}


_DECLARED = re.compile(r"^(protocol|message|library):", re.MULTILINE)

ReadFile = Callable[[Path], tuple[syntax.File | None, list[Problem]]]
"""Reads a file: its syntax, or None and problems."""


def read_file(path: Path) -> tuple[syntax.File | None, list[Problem]]:
    """The syntax of a file on disk, or None and problems."""
    document, problems = source.read(path, path)
    return read_document(document, problems)


def read_document(
    document: source.YamlMapping | None, problems: list[Problem]
) -> tuple[syntax.File | None, list[Problem]]:
    """The syntax of a file that was read as YAML, with problems of that, or None and all problems."""
    file, more = shape.read(document) if document is not None else (None, [])
    return file, [*problems, *more]


def load(
    paths: Sequence[Path], read: ReadFile = read_file, new: Collection[Path] = ()
) -> tuple[list[Spec], list[Problem]]:
    """The specs in ``paths``, each a protocol's folder or a folder of such, and the problems of reading files.

    ``new`` are files that are not on disk yet, but that ``read`` reads.
    """
    begun = {path.parent for path in new}
    folders = sorted({*folders_of(paths), *(path for path in paths if path in begun)})
    loader = _Loader(read, new)
    specs = [spec for folder in folders if (spec := loader.spec(folder))]
    if not folders and not loader.problems:
        where = ", ".join(path.as_posix() for path in paths)
        loader.problems.append(Problem(Location(paths[0], 1, 1), "no-spec", f"no *.yaml file in {where}"))
    return specs, loader.problems


def files_of(folder: Path, new: Collection[Path] = ()) -> list[Path]:
    """The files of a protocol's or a library's folder, and of the groups of messages in it, in the order of names.

    ``new`` ones are among them, which are not on disk yet.
    """
    inner = [path for path in folder.glob("*/*.yaml") if naming.column_fault(path.parent.name) is None]
    begun = (path for path in new if folder in (path.parent, path.parent.parent))
    return sorted({*folder.glob("*.yaml"), *inner, *begun}, key=lambda path: (path.name, path))


def home(path: Path) -> Path:
    """The protocol's folder that a folder belongs to: itself, or the one around a group of messages."""
    is_group = not (path / "protocol.yaml").is_file() and (path.parent / "protocol.yaml").is_file()
    return path.parent if is_group else path


def is_declared(text: str) -> bool:
    """Whether a text has a key at its top that says which file of a spec it is."""
    return _DECLARED.search(text) is not None


def folders_of(paths: Iterable[Path]) -> set[Path]:
    """The folders of protocols and libraries that are meant by files, by such folders, and by a folder of such."""
    return {folder for path in paths for folder in _folders(path)}


def _folders(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield from (home(path.parent),) if path.suffix == ".yaml" else ()
    elif any(path.glob("*.yaml")):
        path = home(path)
        yield path if path.name not in ("", "..") else path / ".." / path.resolve().name  # its name is the protocol's
    else:
        yield from (child for child in sorted(path.iterdir()) if any(child.glob("*.yaml"))) if path.is_dir() else ()


def declared_variants(shared: Sequence[syntax.Shared]) -> dict[str, syntax.Variant]:
    """The variants that messages can share, by name; the protocol's own hide those of libraries."""
    return {variant.name: variant for part in reversed(shared) for variant in part.variants}


def _filled(message: syntax.Message, declared: Mapping[str, syntax.Variant]) -> syntax.Message:
    """The message with the declarations of the variants that it shares."""
    filled = (
        _shared(declared[variant.name], variant) if variant.shared and variant.name in declared else variant
        for variant in message.variants
    )
    return replace(message, variants=tuple(filled))


def _shared(declared: syntax.Variant, own: syntax.Variant) -> syntax.Variant:
    """The declared variant as part of a message, with the message's own description."""
    said, before = own.doc, declared.doc
    doc = replace(
        said,
        title=before.title,
        text=said.text or before.text,
        since=said.since or before.since,
        deprecated=said.deprecated or before.deprecated,
        source=said.source or before.source,
        errata=(*before.errata, *said.errata),
    )
    return replace(declared, at=own.at, places={**declared.places, **own.places}, shared=True, doc=doc)


def _declaring(protocol: syntax.Protocol, messages: Iterable[syntax.Message]) -> syntax.Protocol:
    """The protocol with what the files of its messages declare."""
    files = (protocol, *messages)
    return replace(
        protocol,
        enums=tuple(enum for file in files for enum in file.enums),
        flags=tuple(flags for file in files for flags in file.flags),
        types=tuple(struct for file in files for struct in file.types),
        tables=tuple(table for file in files for table in file.tables),
    )


def _unrolled(spec: Spec) -> Spec:
    """The spec with a type for each depth of those that contain themselves."""
    if all(struct.depth is None for struct in spec.structs.values()):
        return spec
    protocol = replace(spec.protocol, types=unrolled(spec.protocol.types, spec.structs))
    libraries = (replace(each, types=unrolled(each.types, spec.structs)) for each in spec.libraries)
    return replace(spec, protocol=protocol, libraries=tuple(libraries))


class _Loader:
    def __init__(self, read: ReadFile, new: Collection[Path]) -> None:
        self.read_file = read
        self.new = new
        self.problems: list[Problem] = []
        self.files: dict[Path, list[syntax.File]] = {}

    def read(self, folder: Path) -> list[syntax.File]:
        if folder not in self.files:
            self.files[folder] = []
            for path in files_of(folder, self.new):
                file, problems = self.read_file(path)
                self.problems += problems
                if file is not None and path.parent != folder and not isinstance(file, syntax.Message):
                    what = "only messages belong in a subfolder of a protocol"
                    self.problems.append(
                        Problem(file.at, "one-protocol", what, "move this file into the folder of the protocol")
                    )
                elif file is not None:
                    self.files[folder].append(file)
        return self.files[folder]

    def spec(self, folder: Path) -> Spec | None:
        before = len(self.problems)
        files = self.read(folder)
        protocols = [file for file in files if isinstance(file, syntax.Protocol)]
        messages = tuple(file for file in files if isinstance(file, syntax.Message))
        own = [file for file in files if isinstance(file, syntax.Library)]
        for extra in protocols[1:]:
            where = protocols[0].at.path.name
            self.problems.append(Problem(extra.at, "one-protocol", f"the folder has a protocol already, in {where}"))
        if not protocols:
            if messages and not own and len(self.problems) == before:
                what = "the folder has messages but no protocol"
                self.problems.append(Problem(messages[0].at, "one-protocol", what, "add protocol.yaml beside them"))
            return None
        libraries = own + self.imports(folder, [protocols[0], *own], {folder: own})
        if all(part.record is None for part in (protocols[0], *libraries)):
            what = "neither the protocol nor any library that it imports has a record"
            self.problems.append(Problem(protocols[0].at, "known-record", what, "add record, with a length and fields"))
            return None
        messages += tuple(self.taken(protocols[0], libraries))
        messages = tuple(sorted(messages, key=lambda message: message.at.path.name))
        declared = declared_variants((protocols[0], *libraries))
        shared = tuple(_filled(message, declared) for message in messages)
        spec = _unrolled(Spec(folder, _declaring(protocols[0], messages), shared, tuple(libraries)))
        large = limits.exceeded(spec.structs, spec.lists)
        self.problems += [large] if large else []
        return None if large else spec

    def taken(self, protocol: syntax.Protocol, libraries: Iterable[syntax.Library]) -> Iterator[syntax.Message]:
        """The messages that the protocol takes from the folders of libraries."""
        folders = {home(library.at.path.parent) for library in libraries} - {protocol.at.path.parent}
        files = (file for folder in sorted(folders) for file in self.read(folder))
        known = {file.message: file for file in files if isinstance(file, syntax.Message)}
        for name in protocol.messages:
            if name in known:
                yield known[name]
            else:
                what = f"no imported library has a message {name!r}"
                self.problems.append(Problem(protocol.where("messages"), "known-import", what, closest(name, known)))

    def imports(
        self, folder: Path, importing: Sequence[syntax.Shared], seen: dict[Path, list[syntax.Library]]
    ) -> list[syntax.Library]:
        found: list[syntax.Library] = []
        for shared in importing:
            for name in shared.imports:
                target = folder.parent / name
                if target in seen:
                    continue
                is_name = naming.column_fault(name) is None  # others could lead anywhere, as .. does
                libraries = [file for file in self.read(target) if isinstance(file, syntax.Library)] if is_name else []
                seen[target] = libraries
                if not libraries:
                    beside = [path.parent.name for path in folder.parent.glob("*/*.yaml") if path.parent != folder]
                    what = f"no library {name!r} beside this folder"
                    self.problems.append(Problem(shared.where("imports"), "known-import", what, closest(name, beside)))
                found += libraries + self.imports(target, libraries, seen)
        return found
