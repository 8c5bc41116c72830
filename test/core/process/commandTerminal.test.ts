/** Commands that run for an agent: what they print, how they end, and that nothing of them is left. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { identifyProcess } from '../../../src/core/node/processTree.js';
import { type CommandTerminal, startTerminal, type TerminalOptions } from '../../../src/core/process/commandTerminal.js';

const posixOnly = process.platform === 'win32' ? 'uses a POSIX shell' : false;

async function start(
  t: TestContext,
  command: string,
  o: Partial<TerminalOptions> = {},
): Promise<{ terminal: CommandTerminal; told: string[] }> {
  const terminal = await startTerminal({
    command,
    args: [],
    cwd: tmpdir(),
    env: process.env,
    limitBytes: 1_000_000,
    log: nullLogger,
    ...o,
  });
  t.after(() => terminal.end());
  const told: string[] = [];
  terminal.onOutput((text) => void told.push(text));
  return { terminal, told };
}
/** Resolves when the terminal has printed the text. */
function printed(terminal: CommandTerminal, text: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (terminal.output.text.includes(text)) resolve();
    };
    terminal.onOutput(look);
    look();
  });
}

describe('a command of an agent', { skip: posixOnly }, () => {
  it('gets its arguments as they are, without a shell, and no input', async (t) => {
    const { terminal } = await start(t, process.execPath, {
      args: ['-p', 'JSON.stringify(process.argv.slice(1))', '--', '$HOME; `id` "a b"'],
    });
    assert.deepEqual(await terminal.exited, { code: 0, signal: null });
    assert.deepEqual(JSON.parse(terminal.output.text), ['$HOME; `id` "a b"']);
    const cat = await start(t, 'cat');
    assert.deepEqual(await cat.terminal.exited, { code: 0, signal: null });
  });

  it('that is one string and no program runs in a shell; with arguments, it is not found', async (t) => {
    const { terminal } = await start(t, 'printf "%s|" a b && exit 3');
    assert.deepEqual(await terminal.exited, { code: 3, signal: null });
    assert.equal(terminal.output.text, 'a|b|');
    await assert.rejects(start(t, 'no-such-program', { args: ['a'] }), /no-such-program|not_on_path|agent_not_found/);
    await assert.rejects(start(t, ' '));
  });

  it('prints to both streams, in whole characters, and has exited only when all of it was read', async (t) => {
    const script = 'for (let i = 0; i < 2000; i++) process.stdout.write("€€€€€€€€€€"); process.stderr.write("end")';
    const { terminal, told } = await start(t, process.execPath, { args: ['-e', script] });
    await terminal.exited;
    assert.equal(terminal.output.text.replaceAll('end', ''), '€'.repeat(20_000));
    assert.equal(terminal.output.text.includes('\uFFFD'), false);
    assert.equal(told.join('').replaceAll('end', ''), '€'.repeat(20_000));
  });

  it('keeps the end of much output', async (t) => {
    const { terminal } = await start(t, 'yes 0123456789abcdef | head -c 100000000; echo; echo last', { limitBytes: 1000 });
    await terminal.exited;
    const { text, isTruncated } = terminal.output;
    assert.ok(isTruncated && text.length <= 1000 && text.endsWith('\nlast\n'));
  });

  it('runs beside many others, each with its output and its end', async (t) => {
    const starts = Array.from({ length: 50 }, (_, number) => start(t, `echo ${number}; exec sleep 600`));
    const terminals = (await Promise.all(starts)).map(({ terminal }) => terminal);
    await Promise.all(terminals.map((terminal) => printed(terminal, '\n')));
    assert.deepEqual(
      terminals.map(({ output }) => output.text),
      terminals.map((_, number) => `${number}\n`),
    );
    const [first, ...others] = terminals;
    await first?.end();
    assert.ok(others.every(({ exit }) => exit === undefined));
    await Promise.all(others.map((terminal) => terminal.end()));
    assert.ok(terminals.every(({ exit }) => exit !== undefined));
  });

  it('has exited although something that it started goes on, which ends with the terminal', async (t) => {
    const { terminal } = await start(t, 'sleep 600 & echo "$!"');
    assert.deepEqual(await terminal.exited, { code: 0, signal: null });
    const pid = Number(terminal.output.text);
    assert.ok((await identifyProcess(pid)) !== undefined);
    await terminal.end();
    assert.equal(await identifyProcess(pid).catch(() => undefined), undefined);
  });

  it('has exited although something that it started never stops printing', async (t) => {
    const { terminal } = await start(t, 'while :; do echo more; sleep 0.05; done & echo first');
    assert.deepEqual(await terminal.exited, { code: 0, signal: null });
    assert.match(terminal.output.text, /first\n/);
    await terminal.end();
    const { text } = terminal.output;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(terminal.output.text, text);
  });

  it('that is ended leaves nothing, also of what left its group, and keeps its output', async (t) => {
    const { terminal } = await start(t, 'setsid sh -c "echo \\$\\$; exec sleep 600"; echo never');
    await printed(terminal, '\n');
    const pid = Number(terminal.output.text);
    await terminal.end();
    const exit = await terminal.exited;
    assert.ok(exit.signal !== null || exit.code !== 0);
    assert.equal(await identifyProcess(pid).catch(() => undefined), undefined);
    assert.equal(terminal.output.text, `${pid}\n`);
  });
});
