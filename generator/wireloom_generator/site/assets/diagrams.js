// Shows the title of a byte diagram's box below the diagram while it is pointed at or has the focus, and marks tables whose
// last column, what a row is or an example of it, a phone shows below the others.
(() => {
  "use strict";

  for (const figure of document.querySelectorAll("figure.bytes")) {
    const told = document.createElement("p");
    told.className = "told";
    told.setAttribute("aria-hidden", "true"); // boxes have their titles as labels already
    figure.querySelector("svg").after(told);
    const tell = (event) => {
      const box = event.target.closest(".box");
      if (box) told.textContent = box.getAttribute("aria-label");
    };
    figure.addEventListener("mouseover", tell);
    figure.addEventListener("focusin", tell);
  }

  for (const last of document.querySelectorAll("thead th:nth-child(n + 3):last-child")) {
    if (!["Meaning", "What it is", "example", ""].includes(last.textContent)) continue;
    const table = last.closest("table");
    table.dataset.last = "below";
    table.style.setProperty("--columns", last.cellIndex + 1);
  }
})();
