/** What users see while an agent works: its name, what it does, and that it sends nothing. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { ToolLines } from '../../src/cli/output/toolLines.js';
import type { ToolPatch, UserRequest } from '../../src/core/index.js';
import { CliProcess, eventsOf, makePlace, type Place, runCli, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const silent = testAgent('fallsSilent');
const quiet = { ACP_HOST_QUIET_SECONDS: '0.3' };

describe('an agent without output', () => {
  test('it is reported at growing intervals, with the last line of its stderr', async () => {
    const cli = new CliProcess(place, ['run', ...silent, 'go'], quiet);
    await cli.until('three reports', (_, stderr) => stderr.split('No output from falls-silent for').length > 3);
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    assert.equal(code, 130);
    assert.match(
      stderr,
      /No output from falls-silent for \d s\. Press Ctrl\+C to stop it\. Its last line on stderr: waiting for the model\n/,
    );
  });

  test('programs get an event', async () => {
    const cli = new CliProcess(place, ['run', ...silent, '--format', 'json', 'go'], quiet);
    const first = await cli.event('silence', (line) => line.event === 'silence');
    const again = await cli.event('more silence', (line) => line.event === 'silence' && line.silentMs > 800);
    cli.child.kill('SIGINT');
    await cli.ended();
    assert.ok(first.event === 'silence' && again.event === 'silence');
    assert.ok(first.silentMs < again.silentMs);
    assert.equal(first.stderrLine, 'waiting for the model');
  });

  test('if its stderr mentions a retry, the reason is reported at once', async () => {
    const retry =
      '2026-11-21 10:00:00,123 INFO agentao.llm: [req-1] retryable streaming error (status=429) after 37 ms; attempt 1 sleeping 7.96s';
    const env = { SILENT_NAME: 'agentao', SILENT_STDERR: retry };
    const cli = new CliProcess(place, ['run', ...silent, '--format', 'json', 'go'], env);
    const told = await cli.event('silence', (line) => line.event === 'silence');
    cli.child.kill('SIGINT');
    await cli.ended();
    assert.ok(told.event === 'silence');
    assert.match(told.reason ?? '', /^agentao is retrying its provider in \d s \(the provider returned 429, attempt 1 of 5\)\.$/);
    assert.deepEqual(told.retry && { ...told.retry, retryInMs: 0 }, { attempt: 1, of: 5, retryInMs: 0, status: 429 });
  });

  test('it is never reported if that is very far away', async () => {
    const env = { ACP_HOST_QUIET_SECONDS: '1e12', ACP_HOST_DEMO_PACE_MS: '20' };
    const { stdout, stderr } = await runCli(place, ['run', '--agent', 'demo', '--format', 'json', 'long 20'], { env });
    assert.deepEqual([eventsOf(stdout).filter(({ event }) => event === 'silence'), stderr], [[], '']);
  });

  test('it is not reported while it waits for the user', async () => {
    const cli = new CliProcess(place, ['run', '--agent', 'demo', '--format', 'json', '--ask-timeout', '0.4', 'ask'], {
      ACP_HOST_QUIET_SECONDS: '0.05',
    });
    const { stdout } = await cli.ended();
    const lines = eventsOf(stdout);
    const asked = lines.findIndex((line) => line.event === 'question');
    const answered = lines.findIndex((line) => line.event === 'question' && line.phase === 'answer');
    assert.ok(lines.slice(asked, answered).every((line) => line.event !== 'silence'));
  });
});

describe('the name of an unknown agent', () => {
  test("it is the agent's own name, in texts and in the list of sessions", async () => {
    const cli = new CliProcess(place, ['run', ...silent, 'go'], { ...quiet, SILENT_TITLE: 'The Silent One' });
    await cli.until('its name', (_, stderr) => stderr.includes('No output from The Silent One'));
    cli.child.kill('SIGINT');
    await cli.ended();
    const { stdout } = await runHere(place, ['sessions']);
    assert.match(stdout, / {2}The Silent One {2}/);
    const { stdout: json } = await runHere(place, ['sessions', '--format', 'json']);
    assert.match(json, /"agent":"custom"/);
    assert.match((await runHere(place, ['show', 's1'])).stdout, /^s1 · The Silent One · /);
  });

  test('before the agent reports one, it is that of its script', async () => {
    const { stderr } = await runHere(place, ['run', ...testAgent('isNoAgent'), 'hi']);
    assert.match(stderr, /isNoAgent\.mjs/);
    assert.doesNotMatch(stderr, /^error: node/m);
  });
});

describe('the progress of an agent', () => {
  test('a thought is introduced once, and a path has its operation', async () => {
    const { stderr } = await runHere(place, ['run', ...testAgent('callsTools'), '--permission', 'allow', 'go']);
    assert.equal(stderr, 'thinking: Let me think about this first.\n✓ Read src/a.ts\n✓ Edit src/a.ts\n');
  });

  test("the time of a tool call does not include that of the user's answer", () => {
    const lines: string[] = [];
    const tools = new ToolLines({ cwd: '/w', agent: { label: 'A' }, paint: paintFor(false), write: (line) => lines.push(line) });
    const tool = (at: number, patch: ToolPatch): void => tools.add({ type: 'tool', at, id: 'c', toolCallId: 'c', patch });
    const request: UserRequest = { kind: 'confirm', id: 'r', sessionId: 's', at: 1_500, title: 'Sure?' };
    tool(1_000, { title: 'Run', status: 'in_progress' });
    tools.hold({ type: 'request_opened', at: 1_500, request });
    tools.resume({ type: 'request_closed', at: 61_500, requestId: 'r', answer: { type: 'cancel' } });
    tool(63_000, { status: 'completed' });
    assert.deepEqual(lines, ['✓ Run (2.0 s)']);
  });

  test('a loss is reported once', async () => {
    const { stderr } = await runHere(place, ['run', '--agent', 'demo', 'fail crash']);
    assert.equal(stderr.split('exited with code 70').length - 1, 1, stderr);
  });

  test('an error with a reason is shown without stderr lines', async () => {
    const { stderr } = await runHere(place, ['run', '--agent', 'demo', 'fail']);
    assert.doesNotMatch(stderr, /last output on stderr/);
  });
});

describe('a permission request without options', () => {
  const asked = { toolCall: { toolCallId: 'c', title: 'Run it', kind: 'execute' }, options: [] };
  const args = ['run', ...testAgent('asksFor'), '--permission', 'allow'];
  const prompt = JSON.stringify([['session/request_permission', asked]]);

  test('is canceled, and people are told why', async () => {
    const { code, stdout, stderr } = await runHere(place, [...args, prompt]);
    assert.equal(code, 0);
    assert.match(stdout, /"outcome":"cancelled"/);
    assert.match(stderr, /The agent offered no answers to choose from, so the request was canceled\./);
  });

  test('is canceled, and programs get it with its answer', async () => {
    const { stdout } = await runHere(place, [...args, '--format', 'json', prompt]);
    const permissions = eventsOf(stdout).flatMap((line) => (line.event === 'permission' ? [line] : []));
    assert.deepEqual(
      permissions.map((line) => [line.phase, line.phase === 'answer' && line.why]),
      [
        ['request', false],
        ['answer', 'no_options'],
      ],
    );
  });
});
