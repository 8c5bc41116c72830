/** Clients of `acp-host serve` that do not read: what waits for them stays small, and nothing is lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { CliProcess, makePlace, type Place, testAgent } from './cliProcess.js';
import { peakMb, stuckAt } from './unread.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const limitMb = 200;
/** After this time without reading, a program counts as blocked. */
const patienceMs = 1_500;

interface Answer {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string };
  readonly error?: { readonly code: number };
}

interface Client {
  readonly cli: CliProcess;
  readonly sessionId: string;
  /** Starts or stops reading stdout. */
  reads(whether: boolean): void;
  /** @returns false if the program has not read it in time */
  write(text: string): Promise<boolean>;
  answer(id: string | number): Promise<Answer>;
}

const lineOf = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const promptOf = (id: string, sessionId: string, text: string): object => ({
  id,
  method: 'session/prompt',
  params: { sessionId, prompt: [{ type: 'text', text }] },
});

async function connect(t: TestContext, agent: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Client> {
  const cli = new CliProcess(place, ['serve', ...agent], env);
  t.after(() => cli.child.kill('SIGKILL'));
  const answers = new Map<string | number, Answer>();
  const waiting = new Map<string | number, (answer: Answer) => void>();
  const lines = createInterface({ input: cli.child.stdout });
  lines.on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    if (answer.method !== undefined || answer.id === undefined) return;
    answers.set(answer.id, answer);
    waiting.get(answer.id)?.(answer);
  });
  const answer = async (id: string | number): Promise<Answer> => answers.get(id) ?? new Promise((resolve) => waiting.set(id, resolve));
  const write = (text: string): Promise<boolean> =>
    Promise.race([
      new Promise<boolean>((resolve) => cli.child.stdin.write(text, () => resolve(true))),
      delay(patienceMs, false, { ref: false }),
    ]);
  await write(lineOf({ id: 'hello', method: 'initialize', params: { protocolVersion: 1 } }));
  await answer('hello');
  await write(lineOf({ id: 'new', method: 'session/new', params: { cwd: place.workspace, mcpServers: [] } }));
  const { result } = await answer('new');
  const reads = (whether: boolean): void => void (whether ? lines.resume() : lines.pause());
  return { cli, answer, write, reads, sessionId: result?.sessionId ?? assert.fail('no session') };
}

describe('a client that stops reading', { skip: process.platform !== 'linux' && 'memory is read from /proc' }, () => {
  test('its requests are not read either, and all answers arrive later', async (t) => {
    const { cli, write, reads, answer } = await connect(t, testAgent('obedient'));
    reads(false);
    const [pieces, requests] = [60, 500];
    const pieceOf = (piece: number): string =>
      Array.from({ length: requests }, (_, index) => lineOf({ id: piece * requests + index, method: 'ping', params: {} })).join('');
    let taken = 0;
    while (taken < pieces && (await write(pieceOf(taken)))) taken++;
    assert.ok(taken < pieces / 2, `${taken} of ${pieces} pieces were read`);
    assert.ok(peakMb(cli) < limitMb, `${peakMb(cli)} MB`);
    reads(true);
    for (let piece = taken + 1; piece < pieces; piece++) await write(pieceOf(piece));
    const last = pieces * requests - 1;
    assert.equal((await answer(last)).error?.code, -32601);
    for (let id = 0; id <= last; id++) assert.ok((await answer(id)).error, `answer to ${id}`);
  });

  test('it holds the agent back, can still stop the turn, and gets all output later', async (t) => {
    const stuck = stuckAt(place);
    const env = { FLOOD_STUCK: `${place.workspace}/stuck` };
    const { cli, write, reads, answer, sessionId } = await connect(t, testAgent('floodsForever'), env);
    reads(false);
    await write(lineOf(promptOf('turn', sessionId, 'go')));
    await stuck;
    assert.ok(peakMb(cli) < limitMb, `${peakMb(cli)} MB`);
    assert.ok(await write(lineOf({ method: 'session/cancel', params: { sessionId } })));
    reads(true);
    assert.equal((await answer('turn')).result?.stopReason, 'cancelled');
  });

  test('a signal that ends the program does not wait for it', async (t) => {
    const stuck = stuckAt(place);
    const { cli, write, reads, sessionId } = await connect(t, testAgent('floodsForever'), { FLOOD_STUCK: `${place.workspace}/stuck` });
    reads(false);
    await write(lineOf(promptOf('turn', sessionId, 'go')));
    await stuck;
    const exit = once(cli.child, 'exit');
    cli.child.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
  });

  test("if it does not read stderr, only the agent's stderr is lost, and the turn and the program end", async (t) => {
    const { cli, write, answer, sessionId } = await connect(t, testAgent('writesStderr'));
    cli.child.stderr.pause();
    await write(lineOf(promptOf('turn', sessionId, '100')));
    assert.equal((await answer('turn')).result?.stopReason, 'end_turn');
    assert.ok(peakMb(cli) < limitMb, `${peakMb(cli)} MB`);
    const exit = once(cli.child, 'exit');
    cli.child.stdin.end();
    assert.deepEqual(await exit, [0, null]);
  });
});
