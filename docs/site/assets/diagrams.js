// The box of a byte diagram that is pointed at, or has the focus, is told below the diagram: its title, for everybody.
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
})();
