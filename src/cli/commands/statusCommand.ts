/** `acp-host status`: what is running, and what needs the user's input. */
import type { ConversationListEntry, EngineClient } from '../../core/index.js';
import { ageText } from '../../text/engineText.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { ExitCode, exitCodeOfSignal } from '../output/exitCode.js';
import { schemaVersion, type StatusLine } from '../output/reportSchema.js';
import { oneLine } from '../../text/plainText.js';
import { cutToScreen, tableText } from '../output/terminalText.js';
import { agentName } from '../system/agents.js';
import { askEngine } from '../system/engine.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, writeJson } from '../system/io.js';
import { type ConversationStatus, shownIds, statusOf } from '../system/conversations.js';
import { engineFacts } from './engineCommand.js';

/** How often to look whether an engine was started. */
const lookMs = 1_000;
/** How often the ages on a screen are shown anew. */
const agingMs = 1_000;
const titleLength = 50;
const agentLength = 24;

/** @throws HostError why the engine can't be reached */
export async function showStatus(request: RequestOf<'status'>, io: Io): Promise<number> {
  if (request.watch) return watchStatus(request, io);
  const line = await askEngine(request.state, io, statusLine);
  if (request.format === 'json') writeJson(io.stdout, line);
  else io.stdout.write(request.prompt ? promptText(line) : tableOf(line));
  return ExitCode.ended;
}

/** Until Ctrl+C, which is how it ends normally. @returns the exit code */
async function watchStatus({ format, state }: RequestOf<'status'>, io: Io): Promise<number> {
  let exitCode: number = ExitCode.ended;
  let end = (): void => {};
  const ended = new Promise<'ended'>((resolve) => (end = () => resolve('ended')));
  const interrupts = onInterrupts({
    interrupt: end,
    end(signal) {
      exitCode = exitCodeOfSignal(signal);
      end();
    },
  });
  io.stdout.on('error', end);
  const redraws = format === 'text' && io.stdout.isTTY === true && io.env['TERM'] !== 'dumb';
  let shown = '';
  let last: StatusLine | undefined;
  const show = (line: StatusLine): void => {
    last = line;
    // What the engine takes of the memory is no change, and an age is one only on the screen.
    const text = redraws ? cutToScreen(tableOf(line), io.stdout) : JSON.stringify({ ...line, engine: line.engine?.pid });
    if (text === shown) return;
    shown = text;
    if (format === 'json') writeJson(io.stdout, line);
    else io.stdout.write(redraws ? `\x1b[H\x1b[J${text}` : `${tableOf(line)}\n`);
  };
  const aging = redraws ? setInterval(() => last && show(last), agingMs) : undefined;
  const look = async (client: EngineClient | undefined): Promise<'ended' | 'lost' | 'none'> => {
    show(await statusLine(client));
    return client === undefined ? Promise.race([ended, pause(lookMs)]) : follow(client, show, ended);
  };
  try {
    while ((await Promise.race([ended, askEngine(state, io, look)])) !== 'ended');
  } finally {
    clearInterval(aging);
    interrupts.dispose();
    // Below the ^C of the terminal.
    if (redraws) io.stdout.write('\n');
  }
  return exitCode;
}

/** Resolves when the engine is gone, or when the user has seen enough. */
async function follow(client: EngineClient, show: (line: StatusLine) => void, ended: Promise<'ended'>): Promise<'ended' | 'lost'> {
  const lost = new Promise<'lost'>((resolve) => client.onConnection(({ state }) => state === 'lost' && resolve('lost')));
  client.list.onChange(() => {
    if (client.connection.state === 'connected') void statusLine(client).then(show, () => {});
  });
  return Promise.race([ended, lost]);
}

function pause(ms: number): Promise<'none'> {
  return new Promise((resolve) => void setTimeout(resolve, ms, 'none'));
}

async function statusLine(client: EngineClient | undefined): Promise<StatusLine> {
  if (client === undefined) return { schemaVersion, engine: null, conversations: [] };
  const engine = await client.call('summary', {});
  return {
    schemaVersion,
    engine: engineFacts(engine),
    conversations: client.list.state.conversations
      .flatMap((one) => {
        const state = statusOf(one);
        return state === undefined || isUnused(one, state) ? [] : [conversationFacts(one, state)];
      })
      .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.since.localeCompare(a.since)),
  };
}

/** Whether nothing was said, written or asked in it. The list in the editor leaves such a conversation out, too. */
function isUnused({ title, firstWords }: ConversationListEntry, state: ConversationStatus): boolean {
  return state === 'idle' && title === undefined && firstWords === undefined;
}

/** What needs the user comes first. */
const order: readonly ConversationStatus[] = ['waiting', 'running', 'interrupted', 'idle'];

function conversationFacts(one: ConversationListEntry, state: ConversationStatus): StatusLine['conversations'][number] {
  const { id, agent, cwd, title, firstWords, since } = one;
  return {
    id,
    state,
    agent: agent === undefined ? null : agentName(agent.id),
    cwd,
    title: oneLine(title ?? firstWords ?? '', 1000),
    since: new Date(since ?? 0).toISOString(),
  };
}

const words: Readonly<Record<ConversationStatus, string>> = {
  waiting: 'needs input',
  running: 'running',
  interrupted: 'interrupted',
  idle: 'idle',
};

function count({ conversations }: StatusLine, wanted: ConversationStatus): number {
  return conversations.filter(({ state }) => state === wanted).length;
}

function promptText(line: StatusLine): string {
  const [running, waiting] = [count(line, 'running'), count(line, 'waiting')];
  const parts = [
    ...(running > 0 ? [`${running} running`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'needs' : 'need'} input`] : []),
  ];
  return parts.length === 0 ? '' : `${parts.join(', ')}\n`;
}

function tableOf({ engine, conversations }: StatusLine): string {
  if (engine === null || conversations.length === 0) return 'Nothing runs.\n';
  const shownId = shownIds(conversations);
  const rows = conversations.map(({ id, state, agent, cwd, title, since }) => [
    shownId({ id }),
    words[state],
    ageText(Date.now() - Date.parse(since)),
    oneLine(agent ?? '-', agentLength),
    oneLine(title, titleLength) || 'New conversation',
    oneLine(cwd),
  ]);
  return tableText(rows);
}
