import { startPageHost } from '../webview/harness.js';
import { agentItem, emptyView, userItem } from '../webview/views.js';
import { markdownOf } from './pageText.js';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
const bundle = await build({ entryPoints: ['test/bench/pageBaselines.ts'], bundle: true, write: false, format: 'iife', target: 'es2022' });
const host = await startPageHost();
for (const strategy of ['floor','page'] as const) {
const o = await host.open({ view: emptyView({ items: [userItem('u', 'go'), agentItem('a', '', true)] }), width: 480, height: 700 });
if (process.env.CSS) await o.page.evaluate((css)=>{ const s=new CSSStyleSheet(); s.replaceSync(css); document.adoptedStyleSheets=[s]; }, process.env.CSS);
if (strategy==='floor') await o.page.evaluate(bundle.outputFiles[0]!.text);
const browser = o.page.context().browser()!;
await browser.startTracing(o.page, { path: '/tmp/trace.json', categories: ['devtools.timeline','blink','cc','disabled-by-default-devtools.timeline'] });
const text = markdownOf(20000);
await o.page.evaluate(async ({text, strategy}) => { const b = strategy==='floor' ? window.baselines.floor() : undefined; let r=1, sent=0; const t0=performance.now(); await new Promise<void>(res=>{ const f=()=>{ const due=Math.min(text.length, Math.floor((performance.now()-t0)/5)*20); if(due>sent){ const t=text.slice(sent,due); if (b) b.append(t); else window.postMessage({type:'patch',revision:++r,ops:[{op:'append',id:'a',text:t}]},'*'); sent=due;} if(sent>=text.length) res(); else setTimeout(f,16);}; f(); }); }, {text, strategy});
await browser.stopTracing();
const t = JSON.parse(readFileSync('/tmp/trace.json','utf8')).traceEvents as any[];
const main = t.find(e=>e.name==='thread_name'&&e.args?.name==='CrRendererMain'&&t.some(x=>x.pid===e.pid&&x.name==='EvaluateScript')) ?? t.find(e=>e.name==='thread_name'&&e.args?.name==='CrRendererMain');
const sum = new Map<string,[number,number]>();
for (const e of t) if (e.ph==='X' && e.tdur!==undefined && e.pid===main.pid && e.tid===main.tid) { const s=sum.get(e.name)??[0,0]; sum.set(e.name,[s[0]+e.tdur/1000,s[1]+1]); }
console.log('==',strategy); console.log([...sum].sort((a,b)=>b[1][0]-a[1][0]).slice(0,22).map(([k,[v,n]])=>`${v.toFixed(0)} x${n} ${k}`).join('\n'));
await o.close(); }
await host.close();
