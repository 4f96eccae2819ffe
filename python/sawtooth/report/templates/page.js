// Sorts and filters tables, shows the runs behind a number, unfolds what is printed. Without it a page shows the same.
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const words = (node) => node.textContent.replace(/\s+/g, " ").trim();

  // A cell that begins with a number is sorted as one; minus signs and thousands are those of our tables.
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell ? words(cell) : "";
    const plain = text.replace(/\u2212/g, "-").replace(/(\d),(?=\d{3})/g, "$1");
    const number = cell && cell.tagName === "TD" ? parseFloat(plain.replace(/^[[(±+]+/, "")) : NaN;
    return { number, text };
  };
  const compare = (a, b) => {
    const known = [a, b].map((entry) => !Number.isNaN(entry.number));
    if (known[0] && known[1]) return a.number - b.number;
    if (known[0] !== known[1]) return known[0] ? -1 : 1;
    return a.text.localeCompare(b.text, "en", { numeric: true });
  };
  const sort = (table, head) => {
    const column = Number(head.dataset.column);
    const down = head.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]));
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows.map((entry) => entry[1]));
  };
  for (const head of all("th[data-column]")) {
    const table = head.closest("table");
    if (table.tBodies[0].rows.length < 2) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }

  for (const bar of all(".filter")) {
    const rows = [...bar.closest(".table").querySelector("tbody").rows];
    const field = bar.querySelector("input");
    const buttons = all("button", bar);
    const count = bar.querySelector("output");
    const choose = () => {
      const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const verdicts = buttons.filter((button) => button.ariaPressed === "true").map((button) => button.dataset.verdict);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const fits = wanted.every((word) => text.includes(word)) && (!verdicts.length || verdicts.includes(row.dataset.verdict));
        row.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      count.value = shown < rows.length ? `${shown} of ${rows.length}` : "";
    };
    field.addEventListener("input", choose);
    for (const button of buttons) {
      button.addEventListener("click", () => {
        button.ariaPressed = button.ariaPressed === "true" ? "false" : "true";
        choose();
      });
    }
    bar.hidden = false;
  }

  // What is wider than its place says so, and can be scrolled by keyboard.
  const wide = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const target = entry.target.closest(".scroll");
      const over = target.scrollWidth > target.clientWidth + 1;
      target.classList.toggle("wide", over);
      if (over) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  all(".scroll, .scroll > *").forEach((place) => wide.observe(place));

  const dialog = document.getElementById("runs-of");
  const made = (name, text, parent) => {
    const node = document.createElement(name);
    node.textContent = text;
    parent.append(node);
    return node;
  };
  // The headings over a column, the upper first.
  const headings = (table, column) =>
    [...table.tHead.rows].flatMap((line) => {
      let begin = 0;
      return [...line.cells].filter((head) => {
        const own = head.dataset.column === undefined ? begin : Number(head.dataset.column);
        begin = own + head.colSpan;
        return own <= column && column < begin;
      });
    });
  const show = (anchor, row) => {
    const cell = anchor.closest("td");
    const table = anchor.closest("table");
    const heads = cell ? headings(table, cell.cellIndex) : [];
    dialog.replaceChildren();
    made("h2", `${words(anchor)} ${cell ? words(cell).slice(words(anchor).length) : ""}`.trim(), dialog);
    const list = made("dl", "", dialog);
    const say = (name, text, tag = "span") => {
      made("dt", name, list);
      made(tag, text, made("dd", "", list));
    };
    const caption = anchor.closest(".table").querySelector(".caption");
    // The caption of a table of scores explains D and C; what a number of it is stands in its headings.
    if (caption && !table.classList.contains("scores")) say("what", words(caption).split(/[.:;]/)[0]);
    if (heads.length) say("of", `${heads.map(words).join(" ")}, ${words(cell.parentElement.cells[0])}`);
    const titles = all("thead th", row.closest("table"));
    const group = anchor.dataset.group;
    const rows = group ? all("tr[id]", row.parentElement).filter((other) => other.dataset.group === group) : [row];
    [...row.cells].forEach((entry, place) => {
      const kind = entry.querySelector("code") ? "code" : "span";
      const own = new Set(rows.map((other) => words(other.cells[place])));
      say(words(titles[place]).toLowerCase(), [...own].join(" "), kind);
    });
    const command = document.getElementById("command");
    const { show: shown = "", replay = "" } = command ? command.dataset : {};
    const first = row.querySelector("code.run");
    if (first) {
      const id = words(first).split(" ")[0];
      say("scenario", `sawtooth store show ${id}${shown}`, "code");
      say("the run again", `sawtooth replay ${id}${replay}`, "code");
    }
    if (command) say("all of it", words(command), "code");
    const close = made("button", "Close", dialog);
    close.addEventListener("click", () => dialog.close());
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    const anchor = event.target.closest("a.to-runs");
    if (anchor) {
      const row = document.getElementById(decodeURIComponent(anchor.hash.slice(1)));
      if (!row || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(anchor, row);
    } else if (event.target === dialog) {
      dialog.close();
    }
  });

  // A link to something folded opens it; printing opens everything but definitions, runs and evidence.
  const reveal = () => {
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    all("details", place).slice(0, 1).forEach((inner) => (inner.open = true));
    for (let outer = place.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    place.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open]):not(.rests):not(.words)").filter((entry) => !entry.closest("#runs"));
    opened.forEach((entry) => (entry.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((entry) => (entry.open = false)));
})();
