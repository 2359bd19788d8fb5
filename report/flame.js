"use strict";
(() => {
  const svg = document.getElementById("flame");
  if (!svg) return;
  const W = svg.viewBox.baseVal.width, CH = 6.6;
  const boxes = [...svg.querySelectorAll("g.f")].map(g => {
    const r = g.querySelector("rect"), title = g.querySelector("title").textContent;
    return {g, r, title, name: title.split(" — ")[0], t: g.querySelector("text"), p: +g.dataset.p,
      x: +r.getAttribute("x"), w: +r.getAttribute("width") + 0.3, y: +r.getAttribute("y"), fill: r.getAttribute("fill")};
  });
  const status = document.getElementById("status"), find = document.getElementById("find");
  let root = 0;

  const label = (b, w) => {
    if (w < 20) { if (b.t) b.t.setAttribute("visibility", "hidden"); return; }
    if (!b.t) {
      b.t = document.createElementNS("http://www.w3.org/2000/svg", "text");
      b.t.setAttribute("y", b.y + 12);
      b.g.appendChild(b.t);
    }
    const n = Math.floor((w - 5) / CH);
    b.t.textContent = b.name.length > n ? b.name.slice(0, Math.max(n - 1, 0)) + "…" : b.name;
    b.t.setAttribute("visibility", "visible");
  };
  const draw = () => {
    const z = boxes[root], k = W / z.w;
    const over = new Set();
    for (let i = root; i >= 0; i = boxes[i].p) over.add(i);
    const inside = []; // a parent stands before its children
    boxes.forEach((b, i) => {
      inside[i] = i === root || b.p >= 0 && inside[b.p];
      const show = inside[i] || over.has(i);
      b.g.style.display = show ? "" : "none";
      if (!show) return;
      const x = over.has(i) ? 0 : (b.x - z.x) * k, w = over.has(i) ? W : b.w * k;
      b.r.setAttribute("x", x);
      b.r.setAttribute("width", Math.max(w - 0.3, 0.1));
      b.g.style.opacity = i !== root && over.has(i) ? 0.6 : 1;
      label(b, w);
      if (b.t) b.t.setAttribute("x", x + 3);
    });
  };
  const search = () => {
    const q = find.value.trim().toLowerCase();
    let n = 0, covered = -1, share = 0;
    const byX = [];
    for (const b of boxes) {
      const hit = q !== "" && b.title.toLowerCase().includes(q);
      b.r.setAttribute("fill", hit ? "#ffd400" : b.fill);
      if (hit) { n++; byX.push(b); }
    }
    byX.sort((a, b) => a.x - b.x || b.w - a.w);
    for (const b of byX) if (b.x + b.w > covered + 0.01) {
      const from = Math.max(b.x, covered);
      share += b.x + b.w - from;
      covered = b.x + b.w;
    }
    status.textContent = q === "" ? "" : n + " frames, " + (100 * share / W).toFixed(1) + " % of all";
  };

  document.getElementById("tools").hidden = false;
  boxes.forEach((b, i) => {
    b.g.style.cursor = "pointer";
    b.g.addEventListener("click", () => { root = i; draw(); });
    b.g.addEventListener("mouseenter", () => { document.getElementById("detail").textContent = b.title; });
  });
  find.addEventListener("input", search);
  document.getElementById("reset").addEventListener("click", () => { root = 0; find.value = ""; search(); draw(); });
  document.addEventListener("keydown", e => { if (e.key === "Escape") document.getElementById("reset").click(); });
})();
