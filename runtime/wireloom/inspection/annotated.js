// Bytes and fields of an annotated record point at each other: by pointer, and by keyboard from field to field.
// Everything is found by class inside its own record, so one script serves any number of them, whenever they appear.
(() => {
  "use strict";

  const clear = (record) => {
    for (const lit of record.querySelectorAll(".wl-lit, .wl-around")) lit.classList.remove("wl-lit", "wl-around");
  };

  const holds = (field, at) => field.dataset.start !== undefined && +field.dataset.start <= at && at < +field.dataset.end;

  const isLeaf = (field) => field.nextElementSibling === null;

  // A field's bytes; the first of them is the answer.
  const lightBytes = (record, field) => {
    let first = null;
    for (const byte of record.querySelectorAll(".wl-byte")) {
      if (!holds(field, +byte.dataset.at)) continue;
      byte.classList.add("wl-lit");
      first ??= byte;
    }
    return first;
  };

  // The fields a byte is in, and lightly those around them; the innermost one is the answer.
  const lightFields = (record, at) => {
    let innermost = null;
    for (const field of record.querySelectorAll(".wl-field")) {
      if (!holds(field, at)) continue;
      field.classList.add(isLeaf(field) ? "wl-lit" : "wl-around");
      if (isLeaf(field)) innermost ??= field;
    }
    return innermost;
  };

  const show = (target, scroll) => {
    const record = target.closest?.(".wl-record");
    if (!record) return;
    const byte = target.closest(".wl-byte");
    const field = target.closest(".wl-field");
    if (!byte && !field) return;
    clear(record);
    if (byte) {
      const innermost = lightFields(record, +byte.dataset.at);
      if (innermost) lightBytes(record, innermost);
    } else {
      field.classList.add("wl-lit");
      const first = lightBytes(record, field);
      if (scroll) first?.scrollIntoView({ block: "nearest" });
    }
  };

  const goTo = (record, field) => {
    if (!field) return;
    for (const other of record.querySelectorAll('.wl-field[tabindex="0"]')) other.tabIndex = -1;
    field.tabIndex = 0;
    field.focus();
  };

  document.addEventListener("mouseover", (event) => show(event.target, false));
  document.addEventListener("focusin", (event) => show(event.target, true));
  for (const left of ["mouseout", "focusout"]) {
    document.addEventListener(left, (event) => {
      const record = event.target.closest?.(".wl-record");
      if (!record) return;
      clear(record);
      const focused = record.querySelector(".wl-field:focus");
      if (focused && left === "mouseout") show(focused, false);
    });
  }

  document.addEventListener("click", (event) => {
    const record = event.target.closest?.(".wl-record");
    const byte = event.target.closest?.(".wl-byte");
    if (!record) return;
    if (byte) {
      const fields = [...record.querySelectorAll(".wl-field")];
      goTo(record, fields.find((field) => isLeaf(field) && holds(field, +byte.dataset.at)));
    } else {
      goTo(record, event.target.closest(".wl-field"));
    }
  });

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.(".wl-field");
    if (!field || event.altKey || event.ctrlKey || event.metaKey) return;
    const record = field.closest(".wl-record");
    const fields = [...record.querySelectorAll(".wl-field")];
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -fields.length, End: fields.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = fields.indexOf(field) + steps[event.key];
    goTo(record, fields[Math.max(0, Math.min(fields.length - 1, next))]);
  });
})();
