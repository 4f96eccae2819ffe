"""The style sheet of the HTML report. Colours are variables, so that dark mode and the figures follow one table."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{--sans:system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,sans-serif;--paper:#fff;--ink:#1b1f24;--muted:#59636e;--line:#d8dee4;
--panel:#f6f8fa;--link:#0550ae;--good:#116329;--good-bg:#dcf5e3;--bad:#a40e26;--bad-bg:#ffe3e3;--open:#6c5200;--open-bg:#fbf0c8;
--series-0:#0072b2;--series-1:#e69f00;--series-2:#009e73;--series-3:#b5477f;--series-4:#56b4e9;--series-5:#d55e00;--series-6:#7a6a00;--series-7:#666}
@media (prefers-color-scheme:dark){:root{--paper:#12161b;--ink:#e6ebf0;--muted:#9aa5b1;--line:#333c46;--panel:#1a2027;--link:#79b8ff;
--good:#7ee2a0;--good-bg:#12351f;--bad:#ff9b9b;--bad-bg:#451a1f;--open:#ecd07a;--open-bg:#3b3110;
--series-0:#4aa8e0;--series-1:#f0b840;--series-2:#35c497;--series-3:#e07fb0;--series-4:#8fd0f5;--series-5:#f08a4a;--series-6:#c9b84a;--series-7:#aaa}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 var(--sans)}
main{max-width:1060px;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.2rem 0 .6rem}
h2{font-size:1.3rem;margin:3rem 0 .8rem;padding-top:.6rem;border-top:2px solid var(--ink)}
h3{font-size:1.05rem;margin:1.8rem 0 .5rem}
p{margin:.5rem 0;max-width:75ch}
a{color:var(--link)}
code{font:.86em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.kicker{margin:0;color:var(--muted);font-size:.9rem}
.lead{font-size:1.05rem}
.muted{color:var(--muted);font-size:.88rem}
.note{background:var(--panel);border-left:3px solid var(--open);padding:.6rem .9rem;font-size:.92rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 2.2rem;margin:1rem 0}
.facts dt{color:var(--muted);font-size:.8rem}
.facts dd{margin:0;font-size:1.1rem;font-variant-numeric:tabular-nums}
.verdicts{list-style:none;display:flex;flex-wrap:wrap;gap:.5rem 1.4rem;align-items:center;padding:0;margin:1rem 0}
nav{margin-top:1rem;font-size:.92rem}
figure{margin:1.4rem 0 .2rem}
figure svg{display:block;width:100%;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums;margin:.6rem 0}
caption{text-align:left;color:var(--muted);font-size:.85rem;padding-bottom:.5rem;max-width:80ch}
th,td{padding:.38rem .6rem;text-align:right;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{border-bottom:0;vertical-align:bottom;font-weight:600}
thead tr:last-child th,thead th[rowspan]{border-bottom:1.5px solid var(--ink)}
th[scope=row],th:first-child,td.text{text-align:left}
thead th[scope=colgroup]{text-align:center;border-bottom:1px solid var(--line)}
tbody th{font-weight:600;white-space:nowrap}
.scores td{font-size:1rem;white-space:nowrap}
.scores thead tr:last-child th{text-align:right}
.spread{color:var(--muted);font-size:.82em;white-space:nowrap}
.printed{display:block;color:var(--muted);font-size:.8em}
.swatch{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.5em}
.pill{display:inline-block;padding:.05rem .55rem;border-radius:1rem;font-size:.8rem;font-weight:600;white-space:nowrap}
.holds{color:var(--good);background:var(--good-bg)}
.fails{color:var(--bad);background:var(--bad-bg)}
.undecided{color:var(--open);background:var(--open-bg)}
details{margin:.3rem 0 .8rem}
summary{cursor:pointer;color:var(--link);font-size:.88rem}
.claims td,.claims th,.words td,.words th,.runs th{text-align:left}
.claims .statement{margin:0;font-size:.95rem}
.claims p{margin:.1rem 0}
.claims details{margin:.2rem 0 0}
.evidence,.evidence ul{list-style:none;padding-left:1.1rem;margin:.3rem 0}
.evidence{padding-left:0}
.evidence li{margin:.25rem 0;font-size:.86rem}
.runs{font-size:.8rem}
.runs td{text-align:left}
tr:target{background:var(--open-bg)}
@media print{:root{--paper:#fff;--ink:#000;--muted:#444;--line:#bbb;--panel:#f4f4f4;--link:#000}
main{max-width:none;padding:0}body{font-size:11pt}nav{display:none}
figure,tr{break-inside:avoid}h2,h3{break-after:avoid}.pill{border:1px solid currentColor;background:none}
section:not(#claims) details::details-content{content-visibility:visible;block-size:auto}}
"""
