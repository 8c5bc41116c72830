/**
 * `npm run bench -- page`: the cost of a streamed answer for the main thread of the page, compared with the floor and with parsing
 * everything per frame.
 */
import path from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { startPageHost, type PageHost } from '../webview/harness.js';
import { agentItem, emptyView, userItem } from '../webview/views.js';
import { markdownOf } from './pageText.js';
import { limits, weighPage } from './footprint.js';
import { atMost, median, printTable, writeReport } from './report.js';
import { typingP95Ms } from './typing.js';

const rounds = 3;
/** As agents send it: 20 bytes a piece. */
const pieceBytes = 20;

interface Load {
  readonly name: string;
  readonly bytes: number;
  readonly piecesPerSecond: number;
  /** Milliseconds in which pieces are joined into one message; 0: a message each. */
  readonly joinMs: number;
}
const answer: Load = { name: '10 KB at 100/s', bytes: 10_000, piecesPerSecond: 100, joinMs: 16 };
const flood: Load = { name: '200 KB at 1000/s', bytes: 200_000, piecesPerSecond: 1000, joinMs: 16 };
const unjoined: Load = { ...flood, name: '50 KB at 1000/s, a message per piece', bytes: 50_000, joinMs: 0 };
const joined: Load = { ...unjoined, name: '50 KB at 1000/s, a message per frame', joinMs: 16 };

type Strategy = 'page' | 'floor' | 'markedPerFrame';

interface Cost {
  /** Main thread, milliseconds. */
  readonly cpuMs: number;
  readonly longestTaskMs: number;
  /** Part of the frames that came late, 0 to 1. */
  readonly dropped: number;
}

const bundle = await build({
  entryPoints: [path.join(import.meta.dirname, 'pageBaselines.ts')],
  bundle: true,
  write: false,
  format: 'iife',
  target: 'es2022',
});
const baselines = bundle.outputFiles[0]?.text ?? '';
const host = await startPageHost();
try {
  await run(host);
} finally {
  await host.close();
}

async function run(pages: PageHost): Promise<void> {
  const streams: [Load, Strategy][] = [
    [answer, 'floor'],
    [answer, 'page'],
    [answer, 'markedPerFrame'],
    [flood, 'floor'],
    [flood, 'page'],
    [flood, 'markedPerFrame'],
    [joined, 'page'],
    [unjoined, 'page'],
  ];
  const measured = new Map<string, Cost[]>(streams.map(([load, strategy]) => [keyOf(load, strategy), []]));
  // Alternated, so that other load of the machine affects all of them.
  for (let round = 0; round < rounds; round++) {
    for (const [load, strategy] of streams) measured.get(keyOf(load, strategy))?.push(await measure(pages, load, strategy));
  }
  const of = (load: Load, strategy: Strategy, figure: keyof Cost): number =>
    median((measured.get(keyOf(load, strategy)) ?? []).map((cost) => cost[figure]));
  printTable(
    'main thread',
    ['stream', 'CPU ms', 'longest task ms', 'dropped %'],
    streams.map(([load, strategy]) => [
      keyOf(load, strategy),
      of(load, strategy, 'cpuMs'),
      of(load, strategy, 'longestTaskMs'),
      of(load, strategy, 'dropped') * 100,
    ]),
  );
  const [short, long] = [await firstPaintMs(pages, 100), await firstPaintMs(pages, 7000)];
  printTable(
    'first paint',
    ['conversation', 'ms'],
    [
      ['100 items', short],
      ['7,000 items', long],
    ],
  );
  const typing: number[] = [];
  for (let round = 0; round < rounds; round++) typing.push(await typingP95Ms(pages));
  printTable('typing while 5,000 paragraphs stream', ['figure', 'ms'], [['95th percentile', median(typing)]]);
  const ratio = (load: Load, over: Strategy): number => of(load, 'page', 'cpuMs') / of(load, over, 'cpuMs');
  writeReport('page', [
    atMost('script-gzip-bytes', weighPage().gzipBytes, limits.pageGzipBytes),
    atMost('answer.cpu/floor', ratio(answer, 'floor'), 2),
    atMost('answer.cpu/marked-per-frame', ratio(answer, 'markedPerFrame'), 0.6),
    atMost('flood.cpu/floor', ratio(flood, 'floor'), 2.9),
    // The baseline costs so little only because it drops nine of ten frames.
    atMost('flood.cpu/marked-per-frame', ratio(flood, 'markedPerFrame'), 0.7),
    atMost('flood.longest-task/marked-per-frame', of(flood, 'page', 'longestTaskMs') / of(flood, 'markedPerFrame', 'longestTaskMs'), 0.3),
    atMost('flood.dropped-over-floor', of(flood, 'page', 'dropped') - of(flood, 'floor', 'dropped'), 0.1),
    // A host should join its messages; the page must not fall behind one that does not.
    atMost('unjoined.cpu/joined', of(unjoined, 'page', 'cpuMs') / of(joined, 'page', 'cpuMs'), 1.5),
    atMost('first-paint.7000-items/100-items', long / short, 6),
    atMost('flood.typing-p95-ms', median(typing), 32),
  ]);
}

function keyOf({ name }: Load, strategy: Strategy): string {
  return `${name}: ${strategy}`;
}

async function measure(pages: PageHost, load: Load, strategy: Strategy): Promise<Cost> {
  const opened = await pages.open({
    view: emptyView({ items: [userItem('u', 'go'), agentItem('a', '', true)] }),
    width: 480,
    height: 700,
    ownPage: true,
  });
  try {
    if (strategy !== 'page') await opened.page.evaluate(baselines);
    const session = await opened.page.context().newCDPSession(opened.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const taskSeconds = async (): Promise<number> =>
      (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    const before = await taskSeconds();
    const { longestTaskMs, dropped } = await stream(opened.page, load, strategy);
    return { cpuMs: ((await taskSeconds()) - before) * 1000, longestTaskMs, dropped };
  } finally {
    await opened.close();
  }
}

/** Sends by the clock, as a host does: a busy page gets its parts late, but gets all of them. */
async function stream(page: Page, { bytes, piecesPerSecond, joinMs }: Load, strategy: Strategy): Promise<Omit<Cost, 'cpuMs'>> {
  const text = markdownOf(bytes);
  return page.evaluate(
    async ({ text, pieceBytes, piecesPerSecond, joinMs, strategy }) => {
      let revision = 1;
      const baseline = strategy === 'page' ? undefined : window.baselines[strategy]();
      // The baselines get messages through a port, so that they pay for messages too and the page does not receive them.
      const { port1, port2 } = new MessageChannel();
      port2.onmessage = ({ data }) => baseline?.append(String(data));
      const deliver = (piece: string): void => {
        if (baseline === undefined)
          window.postMessage({ type: 'patch', revision: ++revision, ops: [{ op: 'append', id: 'a', text: piece }] }, '*');
        else port1.postMessage(piece);
      };
      const frames: number[] = [];
      let watching = true;
      const watch = (at: number): void => {
        frames.push(at);
        if (watching) requestAnimationFrame(watch);
      };
      requestAnimationFrame(watch);
      let longestTaskMs = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
      });
      observer.observe({ type: 'longtask' });
      await new Promise<void>((resolve) => {
        const startedAt = performance.now();
        let sent = 0;
        const feed = (): void => {
          const due = Math.min(text.length, Math.floor(((performance.now() - startedAt) * piecesPerSecond) / 1000) * pieceBytes);
          if (joinMs === 0) for (; sent < due; sent += pieceBytes) deliver(text.slice(sent, sent + pieceBytes));
          else if (sent < due) deliver(text.slice(sent, due));
          sent = Math.max(sent, due);
          if (sent >= text.length) resolve();
          else setTimeout(feed, joinMs === 0 ? 1 : joinMs);
        };
        feed();
      });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      watching = false;
      const late = frames.reduce(
        (sum, at, index) => sum + (index === 0 ? 0 : Math.max(0, Math.round((at - (frames[index - 1] ?? at)) / 16.67) - 1)),
        0,
      );
      return { longestTaskMs, dropped: late / (late + frames.length) };
    },
    { text, pieceBytes, piecesPerSecond, joinMs, strategy },
  );
}

/** Measures from the arrival of the snapshot to the frame after it was drawn. */
async function firstPaintMs(pages: PageHost, count: number): Promise<number> {
  const items = Array.from({ length: count }, (_, index) =>
    index % 7 === 0
      ? userItem(`u${index}`, `prompt ${index}`)
      : agentItem(`a${index}`, `Answer **${index}** with \`code\`.\n\n- one\n- two\n`),
  );
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const opened = await pages.open({ ownPage: true });
    times.push(
      await opened.page.evaluate(async (view) => {
        const startedAt = performance.now();
        await window.deliver({ type: 'snapshot', revision: 1, view, draft: '' });
        const frame = (): Promise<number> => new Promise(requestAnimationFrame);
        // The page draws when it has loaded what draws Markdown.
        while (document.querySelector('.item') === null) await frame();
        await frame();
        return performance.now() - startedAt;
      }, emptyView({ items })),
    );
    await opened.close();
  }
  return median(times);
}
