"""How the page looks and the little it does: one style sheet, one small script that nothing depends on."""

from __future__ import annotations

_LIGHT = (
    "--paper:#fcfcfb;--card:#f4f4f1;--ink:#1b1e22;--soft:#565d66;--rule:#dcdcd6;--main:#0a5a9e;--bar:#2f7fc1;"
    "--old:#8b929b;--warn:#a03c00;--warnbar:#d2601a;--grid:#e6e6e1"
)
_DARK = (
    "--paper:#14171a;--card:#1d2125;--ink:#e9ebed;--soft:#a9b1ba;--rule:#353b42;--main:#86c0f7;--bar:#5ba3e6;"
    "--old:#7d8690;--warn:#ffb07a;--warnbar:#f08a4b;--grid:#2a2f35"
)
STYLE = (
    ":root{color-scheme:light;" + _LIGHT + "}"
    "@media(prefers-color-scheme:dark){:root{color-scheme:dark;" + _DARK + "}}"
    ":root:has(#light:checked){color-scheme:light;" + _LIGHT + "}"
    ":root:has(#dark:checked){color-scheme:dark;" + _DARK + "}"
    """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main,footer{max-width:64rem;margin:0 auto;padding:0 1.5rem}
.skip{position:absolute;left:-99rem;padding:.6rem 1rem;background:var(--paper);color:var(--main)}
.skip:focus{left:.5rem;top:.5rem;z-index:2}
:focus-visible{outline:3px solid var(--main);outline-offset:2px;border-radius:3px}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;justify-content:space-between;align-items:baseline;
padding-top:1.5rem}
h1{font-size:.95rem;font-weight:600;margin:0}
h1 span{color:var(--soft);font-weight:400}
fieldset{border:0;margin:0;padding:0;display:flex;gap:1rem;font-size:.85rem;color:var(--soft)}
legend{position:absolute;left:-99rem}
fieldset label{display:flex;gap:.3rem;align-items:center;min-height:1.6rem;cursor:pointer}
input[type=radio]{accent-color:var(--main);margin:0}
.lead{font-size:clamp(1.3rem,1rem + 1.6vw,1.85rem);line-height:1.35;font-weight:500;letter-spacing:-.012em;
margin:2.2rem 0 .6rem;max-width:46rem;text-wrap:pretty}
.soft,caption,.meta,figcaption{color:var(--soft);font-size:.88rem}
p.soft,.more{max-width:46rem;margin:.3rem 0 .6rem}
.more{font-size:1.05rem}
h2{font-size:1.2rem;margin:3.2rem 0 .3rem;line-height:1.3;letter-spacing:-.005em}
h3{font-size:1rem;margin:2rem 0 .4rem}
h4{font-size:1rem;font-weight:600;margin:0;line-height:1.4}
code{font:.86em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.cmd{display:inline-block;background:var(--card);border:1px solid var(--rule);border-radius:5px;padding:.1rem .5rem;
user-select:all}
.next{margin:1.8rem 0 0;padding:1.1rem 1.4rem 1.2rem;background:var(--card);border-radius:10px}
.next h2{margin:0 0 .4rem;font-size:1rem}
.next ol{margin:0;padding-left:1.3rem}
.next li{margin:.5rem 0}
.next .cmd{background:var(--paper)}
.figures{display:grid;grid-template-columns:repeat(4,1fr);gap:1rem;margin:2rem 0 0;padding:0}
.figures div{border-top:2px solid var(--rule);padding-top:.5rem;display:flex;flex-direction:column-reverse;
justify-content:flex-end}
.figures dt{color:var(--soft);font-size:.86rem;line-height:1.35}
.figures dd{margin:0;font-size:1.75rem;font-weight:600;line-height:1.25;letter-spacing:-.02em}
figure{margin:1.2rem 0 0}
svg{display:block;max-width:100%;overflow:visible}
.chart{width:100%;height:auto}
.narrow{display:none}
.t{fill:var(--soft);font-size:12px}
path{fill:none}
.grid{stroke:var(--grid)}.axis{stroke:var(--old)}
.col{fill:var(--bar)}.part{fill-opacity:.45;stroke:var(--bar);stroke-dasharray:3 2}
.gap{stroke:var(--old);stroke-width:2;stroke-dasharray:2 3}
.line{stroke:var(--bar);stroke-width:2;stroke-linejoin:round}
.dot{fill:var(--bar);stroke:var(--paper);stroke-width:1.5}
.whisker{stroke:var(--ink);stroke-opacity:.55;stroke-width:1.25}
.line+.dot{stroke-width:1.5}
.bars{stroke:var(--bar)}.spark{width:6rem;height:1.5rem}
.track{stroke:var(--grid);stroke-width:8}.b0{stroke:var(--old);stroke-width:8}.b1{stroke:var(--bar);stroke-width:8}
.recurring .b1,.over{stroke:var(--warnbar)!important}
.share{width:6rem;height:.5rem;display:inline-block;vertical-align:middle;margin-left:.5rem}
table{border-collapse:collapse;width:100%;margin:.9rem 0 0;font-size:.92rem}
caption{text-align:left;padding-bottom:.3rem}
th,td{text-align:left;padding:.42rem .9rem .42rem 0;border-bottom:1px solid var(--rule);vertical-align:middle;
font-weight:400}
th,td{overflow-wrap:normal}
bdi,td code,th code,caption{overflow-wrap:anywhere}
thead th{color:var(--soft);font-size:.84rem;vertical-align:bottom}
.n{text-align:right;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--main);font-size:.88rem;width:fit-content;padding:.15rem 0}
.group{margin:0;padding:0;list-style:none}
.rule{display:grid;grid-template-columns:minmax(0,1fr) 17rem;gap:.2rem 2rem;padding:1rem 0;
border-top:1px solid var(--rule);break-inside:avoid}
.rule>.say,.rule>details{grid-column:1}
.rule>.vs{grid-column:2;grid-row:1/span 3;font-size:.84rem;color:var(--soft);line-height:1.45}
.two{display:flex;gap:.8rem}.two span{flex:1}
.vs b{display:block;font-weight:600;color:var(--ink)}
.versus{width:100%;height:2rem;margin:.2rem 0 .3rem}
.meta{margin:.15rem 0 0}
.badge{font-size:.84rem;font-weight:600;white-space:nowrap}
.recurring .badge{color:var(--warn)}.held .badge{color:var(--main)}.badge{color:var(--soft)}
.why{font-size:.92rem;margin:.35rem 0 0}
.ev{list-style:none;margin:.3rem 0 0;padding:0 0 0 .9rem;border-left:2px solid var(--rule);font-size:.9rem}
.ev li{margin:.45rem 0}
.ev time,.ev .meta{color:var(--soft);font-size:.82rem}
.ev q{display:block}
.tools{display:flex;flex-wrap:wrap;gap:.8rem 1.5rem;margin:1rem 0 0;font-size:.9rem;color:var(--soft)}
.tools[hidden],[hidden]{display:none!important}
.tools label{display:flex;gap:.5rem;align-items:center}
.tools input,.tools select{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--old);
border-radius:5px;padding:.3rem .5rem;min-width:0;max-width:100%}
footer{margin-top:4rem;padding-top:1rem;padding-bottom:3rem;border-top:1px solid var(--rule);color:var(--soft);
font-size:.86rem}
footer p{max-width:46rem}
@media(max-width:44rem){
header,main,footer{padding-left:1rem;padding-right:1rem}
.wide{display:none}.narrow{display:block}
.figures{grid-template-columns:1fr 1fr}
.next{margin-left:-.25rem;margin-right:-.25rem;padding:1rem}
.rule{grid-template-columns:minmax(0,1fr)}
.rule>.vs{grid-column:1;grid-row:auto}
.stack thead{position:absolute;left:-999rem}
.stack tr{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem;border-bottom:1px solid var(--rule);padding:.6rem 0}
.stack th[scope=row]{grid-column:1/-1;font-weight:600}
.stack td,.stack th{border:0;padding:.05rem 0;text-align:left}
.stack td::before{content:attr(data-h);display:block;color:var(--soft);font-size:.78rem}
.stack td.long{grid-column:1/-1}
.weeks th,.weeks td{padding-right:.4rem;font-size:.8rem}.weeks .n{white-space:normal}
}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{
:root,:root:has(#dark:checked){color-scheme:light;"""
    + _LIGHT
    + """;--paper:#fff}
body{font-size:10.5pt}
.skip,fieldset,.tools{display:none!important}
header,main,footer{max-width:none;padding:0}
h2,h3,h4{break-after:avoid}
svg,.next,tr,.ev li{break-inside:avoid}
th,td{padding-top:.15rem;padding-bottom:.15rem}
details::details-content{content-visibility:visible;display:block;block-size:auto}
details:not([open])>summary{list-style:none}
summary{color:var(--soft)}
.rules{break-before:page}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""
)
SCRIPT = """
(()=>{const d=document,t=d.querySelector('.tools');
addEventListener('beforeprint',()=>d.querySelectorAll('details').forEach(e=>{if(!e.open){e.open=true;
e.dataset.shut=''}}));
addEventListener('afterprint',()=>d.querySelectorAll('details[data-shut]').forEach(e=>{e.open=false;
delete e.dataset.shut}));
if(!t)return;t.hidden=false;
const q=t.querySelector('input'),s=t.querySelectorAll('select'),o=t.querySelector('output');
const all=[...d.querySelectorAll('.rule')],order=new Map(all.map((e,i)=>[e,i]));
const show=()=>{const w=q.value.toLowerCase().trim();let n=0;
for(const e of all){
const ok=(!s[0].value||e.classList.contains(s[0].value))&&(!w||e.textContent.toLowerCase().includes(w));
e.hidden=!ok;n+=ok}
d.querySelectorAll('.group').forEach(g=>{const any=[...g.children].some(e=>!e.hidden);g.hidden=!any;
if(g.previousElementSibling)g.previousElementSibling.hidden=!any});
o.textContent=n+' of '+all.length+' rules'};
const sort=()=>{const k=s[1].value;d.querySelectorAll('.group').forEach(g=>{[...g.children].sort((a,b)=>
k==='times'?b.dataset.times-a.dataset.times||order.get(a)-order.get(b):
k==='last'?(b.dataset.last>a.dataset.last)-(b.dataset.last<a.dataset.last)||order.get(a)-order.get(b):
order.get(a)-order.get(b)).forEach(e=>g.append(e))})};
q.addEventListener('input',show);s[0].addEventListener('change',show);s[1].addEventListener('change',sort);show()})()
"""
