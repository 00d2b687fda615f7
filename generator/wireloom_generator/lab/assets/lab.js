// What the page does by itself: bytes, fields and lines of the spec point at each other, the table asks for the rows
// that are on the screen, and keys lead from one part of the page to the next. The server calls the functions of `lab`.
globalThis.lab = (() => {
  "use strict";

  const state = { page: "", path: "", element: 0, problems: [], problem: -1, lit: [], unsaved: 0, total: 0, grid: null };

  // The editor

  const component = () => getElement(state.element);
  const view = () => component()?.editor;

  // NiceGUI counts characters, CodeMirror units of UTF-16.
  const characters = (text, units) => (/[\uD800-\uDBFF]/.test(text) ? [...text.slice(0, units)].length : units);

  const marks = () => {
    const doc = view().state.doc;
    const text = doc.toString();
    const found = [];
    for (const problem of state.problems) {
      if (problem.path !== state.path || problem.line > doc.lines) continue;
      const line = doc.line(problem.line);
      const from = Math.min(line.from + problem.column - 1, line.to);
      const word = /^[^\s,{}[\]]*/.exec(text.slice(from, line.to))[0].length || line.to - from;
      found.push({ kind: "line", line: problem.line, class: `lab-line-${problem.severity}` });
      if (word) {
        const [start, end] = [characters(text, from), characters(text, from + word)];
        found.push({ kind: "mark", from: start, to: end, class: `lab-mark-${problem.severity}` });
      }
    }
    for (const line of state.lit) if (line <= doc.lines) found.push({ kind: "line", line, class: "lab-line-lit" });
    return found;
  };

  const decorate = () => {
    if (!view()) return;
    component().setDecorations(marks());
    const tips = {};
    for (const problem of state.problems) {
      if (problem.path !== state.path || problem.line > view().state.doc.lines) continue;
      tips[problem.line] = tips[problem.line] ? `${tips[problem.line]}\n${problem.said}` : problem.said;
    }
    component().setLineTooltips(tips);
  };

  const light = (lines) => {
    if (lines.join() === state.lit.join()) return;
    state.lit = lines;
    decorate();
  };

  const reveal = (line, column = 1, focus = false) => {
    const editor = view();
    if (!editor || line < 1 || line > editor.state.doc.lines) return;
    component().revealLine(line);
    const found = editor.state.doc.line(line);
    if (focus) {
      editor.dispatch({ selection: { anchor: Math.min(found.from + column - 1, found.to) } });
      editor.focus();
    }
  };

  const theme = () => {
    const dark = document.body.classList.contains("body--dark");
    for (const element of document.querySelectorAll(".nicegui-codemirror")) {
      const one = getElement(+element.id.slice(1));
      if (one?.editor) one.setTheme(dark ? "githubDark" : "githubLight");
    }
  };

  // The last line of the entry that begins on a line: those below that are indented as far as its keys.
  const extent = (doc, line) => {
    const indent = /^\s*(- +)?/.exec(doc.line(line).text)[0].length;
    let last = line;
    for (let next = line + 1; next <= doc.lines; next++) {
      const text = doc.line(next).text;
      if (text.trim() && /^\s*/.exec(text)[0].length < indent) break;
      if (text.trim()) last = next;
    }
    return last;
  };

  // Pointing

  const fields = () => [...document.querySelectorAll(".lab-tree .wl-field")];

  const linesOf = (some) => {
    const lines = some.filter((field) => field.dataset.path === state.path).map((field) => +field.dataset.line);
    return [...new Set(lines)];
  };

  const fromRecord = () => light(linesOf(fields().filter((field) => field.classList.contains("wl-lit"))));

  // What the line with the cursor describes is lit among fields and bytes.
  const fromEditor = () => {
    for (const lit of document.querySelectorAll(".lab-on")) lit.classList.remove("lab-on");
    const editor = view();
    if (!editor?.hasFocus) return;
    const doc = editor.state.doc;
    const at = doc.lineAt(editor.state.selection.main.head).number;
    const here = fields().filter((field) => {
      if (field.dataset.path !== state.path) return false;
      const line = +field.dataset.line;
      return line <= at && at <= extent(doc, line);
    });
    const innermost = Math.max(...here.map((field) => +field.dataset.line));
    const found = here.filter((field) => +field.dataset.line === innermost);
    for (const field of found) {
      field.classList.add("lab-on");
      if (field.dataset.start === undefined) continue;
      for (const byte of document.querySelectorAll(".lab-bytes .wl-byte")) {
        const place = +byte.dataset.at;
        if (+field.dataset.start <= place && place < +field.dataset.end) byte.classList.add("lab-on");
      }
    }
    found[0]?.scrollIntoView({ block: "nearest" });
    document.querySelector(".wl-byte.lab-on")?.scrollIntoView({ block: "nearest" });
  };

  const toSpec = (field, focus) => {
    if (!field?.dataset.path) return;
    const line = +field.dataset.line;
    if (field.dataset.path === state.path) reveal(line, 1, focus);
    else emitEvent("lab_open", { path: field.dataset.path, line, focus });
  };

  for (const name of ["mouseover", "mouseout", "focusin", "focusout"]) {
    document.addEventListener(name, (event) => {
      if (event.target.closest?.(".lab-record")) fromRecord();
    });
  }
  document.addEventListener("selectionchange", fromEditor);
  document.addEventListener("focusout", () => setTimeout(fromEditor));

  const toProblem = (number) => {
    const problem = state.problems[number];
    if (!problem) return;
    state.problem = number;
    if (problem.path === state.path) reveal(problem.line, problem.column, true);
    else emitEvent("lab_open", { path: problem.path, line: problem.line, focus: true });
  };

  document.addEventListener("click", (event) => {
    const problem = event.target.closest?.(".lab-problem");
    if (problem) toProblem([...document.querySelectorAll(".lab-problem")].indexOf(problem));
    if (event.target.closest?.(".lab-record .wl-byte, .lab-record .wl-field")) {
      toSpec(document.querySelector(".lab-tree .wl-field.wl-lit"), false);
    }
    const lane = event.target.closest?.(".lab-lane");
    if (lane) {
      const box = lane.getBoundingClientRect();
      emitEvent("lab_place", (event.clientX - box.left) / box.width);
    }
    const link = event.target.closest?.(".lab-documentation a");
    if (link) {
      const target = link.getAttribute("href") ?? "";
      event.preventDefault();
      if (/^[\w-]+\.md/.test(target)) emitEvent("lab_page", target);
    }
  });

  // The table

  const rows = async (wanted) => {
    if (!state.page) {
      wanted.successCallback([], 0);
      return;
    }
    try {
      const answer = await fetch(`records/${state.page}?start=${wanted.startRow}&stop=${wanted.endRow}`);
      const { rows: found, total } = await answer.json();
      wanted.successCallback(found, total);
    } catch {
      wanted.failCallback();
    }
  };

  let awaited = null;

  const focused = (event) => {
    if (event.rowIndex === null || event.rowIndex === undefined) return;
    const row = event.api.getDisplayedRowAtIndex(event.rowIndex);
    if (!row) return;
    row.setSelected(true, true);
    clearTimeout(awaited);
    const number = row.data?.number;
    if (number !== undefined) awaited = setTimeout(() => emitEvent("lab_record", number), 30);
  };

  // Keys

  const panes = () =>
    [...document.querySelectorAll("[data-pane]")].filter((pane) => pane.offsetParent !== null);

  const enter = (pane) => {
    const inside = pane.matches(".lab-spec")
      ? pane.querySelector(".lab-editor:not(.hidden) .cm-content")
      : pane.matches(".lab-fields")
        ? pane.querySelector('.wl-field[tabindex="0"]')
        : pane.matches(".lab-lower")
          ? pane.querySelector(".ag-cell, .q-tab--active")
          : pane;
    (inside ?? pane).focus();
  };

  const move = (by) => {
    const all = panes();
    const now = all.findIndex((pane) => pane.contains(document.activeElement));
    enter(all[(now + by + all.length) % all.length]);
  };

  const step = (by) => emitEvent("lab_step", by);

  const keys = {
    "F1": () => emitEvent("lab_help", 0),
    "F6": () => move(1),
    "Shift+F6": () => move(-1),
    "F8": () => toProblem((state.problem + 1) % Math.max(1, state.problems.length)),
    "Shift+F8": () => toProblem((Math.max(0, state.problem) + state.problems.length - 1) % Math.max(1, state.problems.length)),
    "Mod+s": () => emitEvent("lab_save", 0),
    "Alt+w": () => emitEvent("lab_example", 0),
    "Alt+PageDown": () => step(1),
    "Alt+PageUp": () => step(-1),
  };

  document.addEventListener(
    "keydown",
    (event) => {
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const held = [event.ctrlKey || event.metaKey ? "Mod" : "", event.altKey ? "Alt" : "", event.shiftKey ? "Shift" : ""];
      const action = keys[[...held.filter(Boolean), key].join("+")];
      if (action) {
        event.preventDefault();
        event.stopPropagation();
        action();
      } else if (event.key === "Enter" && event.target.closest?.(".lab-tree .wl-field")) {
        toSpec(event.target.closest(".wl-field"), true);
      }
    },
    true,
  );

  addEventListener("beforeunload", (event) => {
    if (state.unsaved) event.preventDefault();
  });

  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(theme).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  });

  return {
    page: (id) => {
      state.page = id;
      state.grid?.purgeInfiniteCache();
    },
    file: async (path, element, line, focus) => {
      Object.assign(state, { path, element, lit: [] });
      for (let tries = 0; tries < 100 && !view(); tries++) await new Promise((done) => setTimeout(done, 20));
      theme();
      decorate();
      fromRecord();
      if (line) reveal(line, 1, focus);
    },
    problems: (problems) => {
      Object.assign(state, { problems, problem: -1 });
      decorate();
    },
    unsaved: (count) => (state.unsaved = count),
    stale: (stale) => document.body.classList.toggle("lab-is-stale", stale),
    record: () => {
      light([]);
      setTimeout(fromEditor);
    },
    records: (total, anew) => {
      state.total = total;
      if (!state.grid) return;
      if (anew) state.grid.purgeInfiniteCache();
      else state.grid.setRowCount(total, true);
    },
    row: (number) => {
      state.grid?.ensureIndexVisible(number);
      state.grid?.getDisplayedRowAtIndex(number)?.setSelected(true, true);
    },
    grid: (api) => {
      state.grid = api;
      api.setGridOption("datasource", { getRows: rows });
    },
    focused,
    theme,
  };
})();
