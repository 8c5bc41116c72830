/** What an agent may use of its host: its files, its terminals, and the MCP servers that it hands over. */
import path from 'node:path';
import { answerOf, toolText } from './events.js';
import { files, said, shellOutput } from './model/script.js';
import { endedWell, failed, short, wrongIn } from './outcome.js';
import { converse, finish, soFar, turnEnds } from './talk.js';
import type { Message } from './traffic.js';
import type { Trial } from './trial.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

const allow = ['--permission', 'allow'];

const asks = (messages: readonly Message[], name: string): boolean =>
  messages.some(({ direction, method }) => direction === 'received' && method === name);

export async function usesFiles(trial: Trial): Promise<Verdict> {
  const run = await converse(trial, allow, 'edit', 'write');
  if (!endedWell(run)) return failed(run);
  const isWritten = (await wrongIn(trial))?.type !== 'fault';
  if (!isWritten || (await trial.read(files.existing)) !== files.edited) return fault('a file was not written');
  const [reads, writes] = [asks(run.messages, 'fs/read_text_file'), asks(run.messages, 'fs/write_text_file')];
  if (!reads && !writes) return byAgent('reads and writes files itself');
  return works(reads && writes ? undefined : `only ${reads ? 'reads' : 'writes'} files through the host`);
}

export async function usesTerminals(trial: Trial): Promise<Verdict> {
  const run = await converse(trial, allow, 'shell');
  if (!endedWell(run)) return failed(run);
  const runsInHost = asks(run.messages, 'terminal/create');
  const reports = run.messages.some(({ direction, text }) => direction === 'received' && /"terminal_output(_delta)?":/.test(text));
  if (!runsInHost && !reports) return byAgent('runs commands itself, and reports their output as text');
  if (!toolText(run.events).includes(shellOutput)) return fault('the output of the command is not reported');
  return works(runsInHost ? 'in the terminals of the host' : 'in terminals of its own, which it reports');
}

const toolAnswer = 'The answer is forty-two with a key';

/** Agents connect to their servers while they open a session, or after it. */
const mostPrompts = 3;

export async function callsMcpTool(trial: Trial): Promise<Verdict> {
  const server = { command: process.execPath, args: [path.resolve(import.meta.dirname, '../agents/mcpServer.mjs'), 'forty-two'] };
  await trial.write('servers.json', JSON.stringify({ mcpServers: { check: { ...server, env: { KEY: 'a key' } } } }));
  const mode = trial.agent.mcpMode === undefined ? [] : ['--mode', trial.agent.mcpMode];
  const cli = trial.chat([...allow, ...mode, '--mcp-config', path.join(trial.cwd, 'servers.json')]);
  let isOffered = false;
  for (let turn = 1; turn <= mostPrompts && !isOffered; turn++) {
    cli.writeLine({ prompt: trial.prompt('mcp') });
    await turnEnds(cli, turn);
    isOffered = !answerOf(soFar(cli)).endsWith(said.noAnswers);
  }
  const watch = await trial.watch();
  const messages = await watch.messages();
  watch.dispose();
  const events = await finish(cli);
  if (!messages.some(({ method, text }) => method === 'session/new' && text.includes('mcpServer.mjs')))
    return fault('it was not handed over');
  if (!isOffered) return byAgent('offers its model no tool of the server');
  const isTold = trial.model.requests.some((request) =>
    request.messages.some(({ role, text }) => role === 'tool' && text.includes(toolAnswer)),
  );
  if (isTold) return works(toolText(events).includes(toolAnswer) ? undefined : 'does not report the answer of the tool');
  return fault(`the answer did not arrive: ${short(toolText(events))}`);
}
