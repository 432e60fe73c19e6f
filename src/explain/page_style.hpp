// The look of the page and of its plots, and the script that sorts its table.
#pragma once

#include <string_view>

namespace tilewright::plots {

/// The colours, which the two below refer to.
inline constexpr std::string_view palette = R"css(
:root { color-scheme: light dark; --page: #f6f6f3; --card: #ffffff; --text: #1b1b19; --soft: #62615b; --line: #e3e2dc;
  --grid: #ecebe6; --band: #2a78d61c; --good: #00734f; --bad: #b3400a;
  --c0: #0a63b0; --c1: #4aa8e6; --c2: #db8a00; --c3: #00936b; --c4: #d2500c; --c5: #b8608f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #131312; --card: #1d1d1b; --text: #f1f0ea; --soft: #a5a49c; --line: #363530; --grid: #2b2a27;
    --band: #5aa5ee26; --good: #4cc79c; --bad: #ff9460;
    --c0: #5aa5ee; --c1: #a9d6f7; --c2: #f0b03a; --c3: #2fbd92; --c4: #f4793f; --c5: #df96bd; }
}
)css";

inline constexpr std::string_view plot_style = R"css(
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg.key { width: 14px; height: 14px; flex: none; }
.s0 { fill: var(--c0); } .s1 { fill: var(--c1); } .s2 { fill: var(--c2); }
.s3 { fill: var(--c3); } .s4 { fill: var(--c4); } .s5 { fill: var(--c5); }
.k0 { stroke: var(--c0); } .k1 { stroke: var(--c1); } .k2 { stroke: var(--c2); }
.k3 { stroke: var(--c3); } .k4 { stroke: var(--c4); } .k5 { stroke: var(--c5); }
.mark { stroke: var(--card); stroke-width: 1; } .mark:hover { stroke: var(--text); stroke-width: 1.5; }
.faint { fill: var(--soft); opacity: .38; } .faint:hover { opacity: 1; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .curve.k0 { stroke-width: 3.2; }
.grid { stroke: var(--grid); } .row { stroke: var(--line); } .reference { stroke: var(--soft); }
.limit { stroke: var(--bad); stroke-dasharray: 4 4; } .band { fill: var(--band); }
text { fill: var(--soft); } .label { fill: var(--text); font-size: 13px; } .title { font-size: 13px; }
.heading { fill: var(--text); font-size: 14px; font-weight: 600; }
.middle { text-anchor: middle; } .end { text-anchor: end; }
)css";

inline constexpr std::string_view page_style = R"css(
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--page); color: var(--text); margin: 0 auto;
  max-width: 78rem; padding: 2.2rem 1.2rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.12rem; margin: 0 0 .2rem; }
p { margin: .2rem 0 .8rem; } p.lead, p.about { color: var(--soft); max-width: 62rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.3rem 1.2rem;
  margin-top: 1.2rem; min-width: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1.2rem; }
.pair section { display: flex; flex-direction: column; } .pair .legend { margin-bottom: auto; }
.pair .wide { margin-top: .7rem; }
.goals { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1.1rem 1.6rem; }
.goal .what { color: var(--soft); font-size: .86rem; line-height: 1.3; }
.goal .found { font-size: 1.7rem; font-weight: 600; line-height: 1.25; }
.goal .asked { font-size: .86rem; color: var(--soft); }
.met { color: var(--good); font-weight: 600; } .missed { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .34rem .8rem .34rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; line-height: 1.25; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n, table.solid td, table.solid th { white-space: nowrap; }
table.solid td.note { white-space: normal; min-width: 16rem; }
.rest { color: var(--soft); font-size: .92em; font-weight: 400; }
tr:last-child td { border-bottom: none; }
table.sortable th { cursor: pointer; user-select: none; }
table.sortable th:hover { color: var(--text); }
th[aria-sort] { color: var(--text); }
th[aria-sort=ascending]::after { content: " ▲"; font-size: .7em; }
th[aria-sort=descending]::after { content: " ▼"; font-size: .7em; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: .3rem 0 .7rem; font-size: .9rem; }
.legend span { display: inline-flex; align-items: center; gap: .4rem; }
.empty { color: var(--soft); }
)css";

inline constexpr std::string_view page_script = R"js(
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;
  const compare = (a, b) => {
    const x = parseFloat(a), y = parseFloat(b);
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return Number.isNaN(x) ? a.localeCompare(b) : x - y;
  };
  const sort = i => {
    const down = heads[i].getAttribute('aria-sort') === 'ascending';
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[i].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const rows = [...table.tBodies[0].rows].sort((a, b) => compare(key(a, i), key(b, i)));
    if (down) rows.reverse();
    table.tBodies[0].append(...rows);
  };
  heads.forEach((head, i) => {
    head.tabIndex = 0;
    head.addEventListener('click', () => sort(i));
    head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(i); });
  });
}
)js";

}  // namespace tilewright::plots
