/** The agent service's questions to an editor, which get no answer unless the user allows it. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { ideServices } from '../../src/core/backends/agentService/ideServices.js';
import { type CodeLocation, type CodeNavigation, confineNavigation } from '../../src/core/services/codeNavigation.js';
import type { TextPosition } from '../../src/core/session/codeTask.js';
import { within } from '../real/deadline.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam } from './seam.js';

const agent = { label: 'Stand-in', command: '', args: [], env: {} };
const range = { start: { line: 1, character: 2 }, end: { line: 3, character: 4 } };
const symbols = [{ name: 'go', kind: 'Function', range, children: [] }];
/** The service has no message that triggers this. */
const unasked: Pick<CodeNavigation, 'references' | 'diagnostics' | 'openEditors'> = {
  references: () => Promise.reject(new Error('not asked')),
  diagnostics: () => Promise.reject(new Error('not asked')),
  openEditors: () => Promise.reject(new Error('not asked')),
};
const ask = (variant: string, service: string, params: object): string => `ide ${variant} ${service} ${JSON.stringify(params)}`;

test('a question of the service is refused unless the user allows it', async (t) => {
  const { url } = await startStandIn(t, 'agentService');
  const seam = await connectSeam(t, (options) => connectAgentService({ ...options, ...serverAt(url) }), { agent });
  const { prompt, words } = await seam.open();
  for (const variant of ['cmd', 'path', 'method']) {
    await within(prompt(ask(variant, 'get_document_symbols', { abspath: path.join(seam.cwd, 'a.py') })), 'end');
    assert.deepEqual(JSON.parse(words()), { request_id: 7, error: 'Function not found' });
  }
});

test('a question is answered in each of its forms, and only about the folder', async (t) => {
  const { url } = await startStandIn(t, 'agentService');
  const asked: unknown[] = [];
  const outside = { path: path.resolve('/elsewhere/b.py'), range };
  const navigationIn = (cwd: string): CodeNavigation => {
    const find = (of: string, place: TextPosition): Promise<readonly CodeLocation[]> => {
      asked.push([path.relative(cwd, of), place]);
      return Promise.resolve([{ path: path.join(cwd, 'b.py'), range }, outside]);
    };
    return {
      documentSymbols: (of) => (of.endsWith('bad.py') ? Promise.reject(new Error('no symbols')) : Promise.resolve(symbols)),
      definitions: find,
      typeDefinitions: find,
      ...unasked,
    };
  };
  const dial: ConnectAgent = (options) => {
    const codeNavigation = confineNavigation(options.cwd, navigationIn(options.cwd));
    return connectAgentService({ ...options, ...serverAt(url), services: { ...options.services, codeNavigation } });
  };
  const seam = await connectSeam(t, dial, { agent });
  const { prompt, words } = await seam.open();
  const answer = async (variant: string, service: string, params: object): Promise<unknown> => {
    await within(prompt(ask(variant, service, params)), 'end');
    const { request_id: id, ...rest } = JSON.parse(words());
    assert.equal(id, 7);
    return rest;
  };
  const abspath = path.join(seam.cwd, 'a.py');
  for (const variant of ['cmd', 'path', 'method'])
    assert.deepEqual(await answer(variant, 'get_document_symbols', { abspath }), { result: symbols });
  const found = { result: [{ abspath: path.join(seam.cwd, 'b.py'), range }] };
  assert.deepEqual(await answer('cmd', 'find_def_locations', { abspath, line: 5, character: '7' }), found);
  assert.deepEqual(await answer('method', 'find_type_def_locations', { abspath, line: 0, character: 0 }), found);
  assert.deepEqual(asked, [
    ['a.py', { line: 5, character: 7 }],
    ['a.py', { line: 0, character: 0 }],
  ]);
  const refused = { error: 'Error: The path is outside of the workspace' };
  for (const place of [outside.path, `${seam.cwd}/../b.py`, '/etc/passwd'])
    assert.deepEqual(await answer('cmd', 'get_document_symbols', { abspath: place }), refused);
  assert.deepEqual(await answer('cmd', 'get_document_symbols', { abspath: path.join(seam.cwd, 'bad.py') }), { error: 'Error: no symbols' });
  assert.deepEqual(await answer('cmd', 'find_def_locations', { abspath }), { error: 'Error: params' });
});

test('the number of answered questions per second is limited', async () => {
  const none = (): Promise<readonly never[]> => Promise.resolve([]);
  const navigation = confineNavigation('/', { documentSymbols: none, definitions: none, typeDefinitions: none, ...unasked });
  const answers = ideServices(navigation, { now: () => 5_000 });
  const question = { id: 1, service: 'get_document_symbols', params: { abspath: '/a' } } as const;
  const all = await Promise.all(Array.from({ length: 25 }, () => answers(question)));
  assert.equal(all.filter((one) => 'result' in one).length, 20);
});
