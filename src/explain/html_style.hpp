// The look of the HTML page.
#pragma once

#include <string_view>

namespace tilewright {

inline constexpr std::string_view html_style = R"css(
:root { color-scheme: light dark; --predicted: #5b8def; --measured: #e08a3c; --line: #8884; --soft: #888; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-top: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; }
dt { color: var(--soft); } dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.what { overflow-wrap: anywhere; min-width: 18rem; }
td.bars { width: 22%; min-width: 8rem; }
.bar { height: .55rem; margin: .2rem 0; border-radius: 2px; min-width: 1px; }
.predicted { background: var(--predicted); } .measured { background: var(--measured); }
.key { display: inline-block; width: .8rem; height: .55rem; border-radius: 2px; margin: 0 .3rem 0 1rem; }
tr.total td { font-weight: 600; border-bottom: none; }
)css";

}  // namespace tilewright
