"use strict";
const all=(q,e=document)=>[...e.querySelectorAll(q)];
const zooms=new Map();
function zoom(stage,by){const svg=stage.querySelector("svg"),old=zooms.get(stage)||1;
const now=by===0?1:Math.min(8,Math.max(.25,old*by));zooms.set(stage,now);
const box=svg.viewBox.baseVal;const base=Math.min(1200,box.width);
svg.setAttribute("width",base*now);svg.setAttribute("height",base*now*box.height/box.width);}
function mark(svg,name){const near=new Set([name]);
for(const a of all(".arrow,.cell",svg)){const hit=a.dataset.source===name||a.dataset.target===name;
a.classList.toggle("near",hit);a.classList.toggle("faded",!hit);if(hit){near.add(a.dataset.source);near.add(a.dataset.target);}}
for(const b of all(".box",svg))b.classList.toggle("faded",!near.has(b.dataset.name));}
function clear(svg){for(const e of all(".near,.faded",svg))e.classList.remove("near","faded");}
for(const stage of all(".stage")){const svg=stage.querySelector("svg");
for(const b of all(".box",svg)){const on=()=>mark(svg,b.dataset.name),off=()=>clear(svg);
b.addEventListener("mouseenter",on);b.addEventListener("mouseleave",off);
b.addEventListener("focus",on);b.addEventListener("blur",off);
const inner=document.getElementById("inside:"+b.dataset.name);
if(inner){b.style.cursor="zoom-in";
const open=()=>{inner.open=true;inner.scrollIntoView();inner.querySelector("summary").focus();};
b.addEventListener("click",open);b.addEventListener("keydown",e=>{if(e.key==="Enter")open();});}}
let from=null;stage.addEventListener("pointerdown",e=>{if(e.button===0&&!e.target.closest("a,.box"))
from=[e.clientX+stage.scrollLeft,e.clientY+stage.scrollTop];});
stage.addEventListener("pointermove",e=>{if(from){stage.scrollLeft=from[0]-e.clientX;stage.scrollTop=from[1]-e.clientY;}});
for(const end of["pointerup","pointerleave"])stage.addEventListener(end,()=>{from=null;});
stage.addEventListener("wheel",e=>{if(e.ctrlKey||e.metaKey){e.preventDefault();zoom(stage,e.deltaY<0?1.15:1/1.15);}},{passive:false});
stage.addEventListener("keydown",e=>{const by={"+":1.25,"=":1.25,"-":.8,"0":0}[e.key];
if(by!==undefined){e.preventDefault();zoom(stage,by);}});}
const search=document.getElementById("search"),count=document.getElementById("count");
search.addEventListener("input",()=>{const asked=search.value.trim().toLowerCase();let found=0,first=null;
for(const e of all("[data-name]")){const hit=asked!==""&&e.dataset.name.toLowerCase().includes(asked);
e.classList.toggle("found",hit);if(hit){found++;first=first||e;}}
count.textContent=asked===""?"":found+" found";if(first)first.scrollIntoView({block:"center",inline:"center"});});
document.addEventListener("keydown",e=>{if(e.key==="/"&&e.target!==search){e.preventDefault();search.focus();}
if(e.key==="Escape"){search.value="";search.dispatchEvent(new Event("input"));document.activeElement.blur();}});
