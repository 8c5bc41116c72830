/**
 * The tools of the host with which an agent of the Pi family may ask an editor. The peer is a stand-in, which does not prove
 * interoperability.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { type CodeNavigation, confineNavigation } from '../../src/core/services/codeNavigation.js';
import { within } from '../real/deadline.js';
import { piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, type OpenSession, type Seam } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-tools-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const range = { start: { line: 1, character: 2 }, end: { line: 3, character: 4 } };
const outside = { path: path.resolve('/elsewhere/b.ts'), range };

/** An editor that knows things inside and outside of the folder. @param of overrides */
function editorOf(cwd: string, of: Partial<CodeNavigation> = {}): CodeNavigation {
  const inside = { path: path.join(cwd, 'src', 'b.ts'), range };
  return {
    documentSymbols: () =>
      Promise.resolve([{ name: 'Go', kind: 'Class', range, children: [{ name: 'on', kind: 'Method', range, children: [] }] }]),
    definitions: (file, { line, character }) =>
      Promise.resolve([{ path: file, range: { start: { line, character }, end: range.end } }, outside]),
    typeDefinitions: () => Promise.resolve([{ ...inside, nameRange: { start: { line: 1, character: 9 }, end: range.end } }, outside]),
    references: () => Promise.resolve([inside, outside, inside]),
    diagnostics: () =>
      Promise.resolve([
        { ...inside, severity: 'error', message: 'No such\nthing', source: 'ts' },
        { path: path.join(cwd, 'c.ts'), range, severity: 'hint', message: 'Unused' },
        { ...outside, severity: 'error', message: 'secret' },
      ]),
    openEditors: () =>
      Promise.resolve([
        { path: inside.path, isActive: true, hasUnsavedChanges: true },
        { path: outside.path, isActive: false, hasUnsavedChanges: false },
      ]),
    ...of,
  };
}

async function open(
  t: TestContext,
  o: { readonly dialect?: StandInDialect; readonly editor?: (cwd: string) => CodeNavigation } = {},
): Promise<Seam & OpenSession> {
  const { dialect = 'xcsh', editor } = o;
  const connect = dialect === 'xcsh' ? connectXcsh : connectPi;
  const dial: ConnectAgent = (options) => {
    const codeNavigation = editor && confineNavigation(options.cwd, editor(options.cwd));
    return connect({ ...options, services: { ...options.services, ...(codeNavigation && { codeNavigation }) } });
  };
  const seam = await connectSeam(t, dial, { agent: piStandIn(dialect, sessions) });
  return { ...seam, ...(await seam.open()) };
}

function sent({ traffic }: Seam, type: string): readonly object[] {
  return traffic.all.flatMap((entry) => {
    if (entry.kind !== 'message' || entry.direction !== 'sent' || typeof entry.message !== 'object' || entry.message === null) return [];
    return 'type' in entry.message && entry.message.type === type ? [entry.message] : [];
  });
}

async function ask(seam: OpenSession, name: string, input: object = {}): Promise<string> {
  await within(seam.prompt(`host ${name} ${JSON.stringify(input)}`), 'end');
  return seam.words();
}

test('tools are only offered if the user allows it and the agent supports them', async (t) => {
  const closed = await open(t);
  assert.deepEqual(sent(closed, 'set_host_tools'), []);
  assert.equal(await ask(closed, 'editor_open_files'), 'error: {"error":"unknown_host_tool","toolName":"editor_open_files"}');
  assert.deepEqual(sent(await open(t, { dialect: 'pi087', editor: editorOf }), 'set_host_tools'), []);
});

test("the editor's knowledge is reported with 1-based lines and columns, and only for the folder", async (t) => {
  const seam = await open(t, { editor: editorOf });
  assert.equal(sent(seam, 'set_host_tools').length, 1);
  const file = path.join('src', 'b.ts');
  assert.equal(await ask(seam, 'editor_diagnostics'), `${file}:2:3 error No such thing (ts)\nc.ts:2:3 hint Unused`);
  assert.equal(await ask(seam, 'editor_diagnostics', { path: 'c.ts' }), 'c.ts:2:3 hint Unused');
  assert.equal(await ask(seam, 'editor_diagnostics', { path: 'clean.ts' }), 'none');
  assert.equal(await ask(seam, 'editor_symbols', { path: 'a.ts' }), 'Class Go 2-4\n  Method on 2-4');
  assert.equal(await ask(seam, 'editor_definitions', { path: path.join(seam.cwd, 'a.ts'), line: 7, column: 1 }), 'a.ts:7:1');
  assert.equal(await ask(seam, 'editor_type_definitions', { path: 'a.ts', line: 1, column: 1 }), `${file}:2:10`);
  assert.equal(await ask(seam, 'editor_references', { path: 'a.ts', line: 1, column: 1 }), `${file}:2:3\n${file}:2:3`);
  assert.equal(await ask(seam, 'editor_open_files'), `${file} (active) (unsaved changes)`);
  assert.ok(!JSON.stringify(sent(seam, 'host_tool_result')).includes('elsewhere'));
});

test('a path outside of the folder, invalid arguments and a failing editor are errors', async (t) => {
  const seam = await open(t, { editor: (cwd) => editorOf(cwd, { references: () => Promise.reject(new Error('no server')) }) });
  symlinkSync('/etc', path.join(seam.cwd, 'link'));
  for (const file of ['/etc/passwd', '../x.ts', 'link/passwd']) {
    assert.match(await ask(seam, 'editor_symbols', { path: file }), /^error: \{"error":"outside_workspace"/);
    assert.match(await ask(seam, 'editor_diagnostics', { path: file }), /^error: \{"error":"outside_workspace"/);
  }
  for (const input of [{}, { path: 'a.ts' }, { path: 'a.ts', line: 0, column: 1 }, { path: 'a.ts', line: '1', column: 1 }])
    assert.match(await ask(seam, 'editor_definitions', input), /^error: \{"error":"invalid_arguments"/);
  assert.equal(
    await ask(seam, 'editor_references', { path: 'a.ts', line: 1, column: 1 }),
    'error: {"error":"failed","detail":"no server"}',
  );
});

test('a long answer is shortened, and says so', async (t) => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({ name: `f${index}`, kind: 'Function', range, children: [] }));
  const long = [{ name: 'x'.repeat(10_000), kind: 'Class', range, children: [] }];
  const seam = await open(t, {
    editor: (cwd) => editorOf(cwd, { documentSymbols: (file) => Promise.resolve(file.endsWith('long.ts') ? long : many) }),
  });
  assert.ok((await ask(seam, 'editor_symbols', { path: 'many.ts' })).endsWith('Function f299 2-4\n… 700 more'));
  assert.equal((await ask(seam, 'editor_symbols', { path: 'long.ts' })).length, 501);
});

test('a call that the agent canceled is not answered', async (t) => {
  let answer = (): void => {};
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const seam = await open(t, {
    editor: (cwd) =>
      editorOf(cwd, {
        openEditors: () => {
          asked();
          return new Promise((resolve) => (answer = () => resolve([])));
        },
      }),
  });
  const turn = ask(seam, 'editor_open_files');
  await within(isAsked, 'call');
  seam.session.cancel();
  await turn;
  answer();
  assert.equal(await ask(seam, 'editor_diagnostics', { path: 'clean.ts' }), 'none');
  assert.equal(sent(seam, 'host_tool_result').length, 1);
});
