/**
 * `npm run bench -- paths [--list]`: how much code the two paths run that are walked all day, measured by the coverage of V8. One word of an
 * agent on its way to the page, and one prompt on its way to the agent; engine and window are in this process, and the source is not bundled.
 * `--list` prints the files with their functions. What the page itself does with a message is not counted.
 */
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HostMessage, hostMessageSchema } from '../../src/contract/messages.js';
import { type PageMessage, pageMessageSchema } from '../../src/contract/pageMessages.js';
import { Emitter, nullLogger } from '../../src/core/index.js';
import { PageLink } from '../../src/extension/pages/pageLink.js';
import { openPort } from '../../src/extension/pages/webviewPage.js';
import { openWindow } from '../extension/openWindow.js';
import { atMost, printTable, writeReport } from './report.js';

const source = path.resolve(import.meta.dirname, '../../src') + path.sep;
const limits = { wordFiles: 25, wordCalls: 80, promptFiles: 60 } as const;

/** Functions that ran, with how often, by file below src/. */
type Walked = ReadonlyMap<string, ReadonlyMap<string, number>>;

const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** @returns what ran since it was asked last */
async function takeWalked(): Promise<Walked> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const walked = new Map<string, Map<string, number>>();
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(source)) continue;
    const ran = new Map<string, number>();
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset } = { count: 0, startOffset: 0 }] = ranges;
      // The module itself is the function at the start.
      if (count > 0 && startOffset > 0) ran.set(`${functionName || '(anonymous)'} ${startOffset}`, count);
    }
    if (ran.size > 0) walked.set(fileURLToPath(url).slice(source.length), ran);
  }
  return walked;
}

function sizeOf(walked: Walked) {
  const functions = [...walked.values()];
  const calls = functions.flatMap((ran) => [...ran.values()]);
  return { files: walked.size, functions: calls.length, calls: calls.reduce((sum, count) => sum + count, 0) };
}

const ends: (() => unknown)[] = [];
const window = await openWindow({ after: (end) => void ends.push(end) }, { agent: 'speaksOnSignal' });

const posted: HostMessage[] = [];
let onPosted = (): void => {};
const fromPage = new Emitter<unknown>();
const wire = {
  postMessage(message: unknown) {
    posted.push(hostMessageSchema.parse(message));
    onPosted();
    return Promise.resolve(true);
  },
  onDidReceiveMessage: fromPage.event,
};
const link = new PageLink({
  port: openPort<HostMessage, PageMessage>(wire, pageMessageSchema, nullLogger),
  source: window.sources.shown,
  onIntent: () => {},
});

/** Resolves when the page was told something that matches, since it was asked last. */
function told(pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve) => {
    onPosted = () => {
      const match = pattern.exec(JSON.stringify(posted));
      if (match === null) return;
      posted.length = 0;
      resolve(match);
    };
    onPosted();
  });
}

const opened = window.conversations.open(window.folder);
window.conversations.show(opened);
fromPage.fire({ type: 'ready' });
const content = [{ type: 'text' as const, text: 'speak' }];
await opened.conversation.execute({ type: 'open' });
await takeWalked();
await opened.conversation.execute({ type: 'send', content });
const [, pid] = await told(/begins (\d+)/);
const prompt = await takeWalked();
const words: Walked[] = [];
for (let count = 1; count <= 8; count++) {
  process.kill(Number(pid), 'SIGUSR2');
  await told(/word/);
  words.push(await takeWalked());
}
// The others do what is done once for each message, or now and then, such as looking what the agent has started.
const [word = prompt] = words.sort((one, other) => sizeOf(one).calls - sizeOf(other).calls);
link.dispose();
for (const end of ends.reverse()) await end();

if (process.argv.includes('--list')) {
  for (const [name, walked] of [['A word', word] as const, ['A prompt', prompt] as const]) {
    const rows = [...walked].map(([file, ran]) => [file, [...ran].map(([called, count]) => `${called.split(' ')[0]} ${count}`).join(', ')]);
    printTable(name, ['file', 'functions with their calls'], rows);
  }
}
const [ofWord, ofPrompt] = [sizeOf(word), sizeOf(prompt)];
printTable(
  'What runs',
  ['', 'files', 'functions', 'calls'],
  [
    ['a word, from the agent to the page', ofWord.files, ofWord.functions, ofWord.calls],
    ['a prompt, and the first word', ofPrompt.files, ofPrompt.functions, ofPrompt.calls],
  ],
);
writeReport('paths', [
  atMost('word.files', ofWord.files, limits.wordFiles),
  atMost('word.calls', ofWord.calls, limits.wordCalls),
  atMost('prompt.files', ofPrompt.files, limits.promptFiles),
]);
