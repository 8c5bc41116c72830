/** Every member of every update of an agent absent, `null` or of the wrong type: both front ends draw it, and what was known stays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTextOutput } from '../../src/cli/output/textOutput.js';
import { Screen } from '../../src/cli/output/screen.js';
import { standardQuirks } from '../../src/core/agents/standardQuirks.js';
import { UpdateMap } from '../../src/core/backends/acp/map.js';
import { parseUpdate } from '../../src/core/backends/acp/schema/updates.js';
import { reduceAll, type SessionEvent } from '../../src/core/index.js';
import { toolStatuses } from '../../src/core/session/model.js';
import { draw, sessionOf, start, turn } from './drawnChat.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const meta = { own: 1 };
const link = {
  type: 'resource_link',
  uri: 'file:///a.md',
  name: 'a',
  title: 'A',
  description: 'd',
  mimeType: 'text/plain',
  size: 1,
  _meta: meta,
};
const image = {
  type: 'image',
  data: 'AAAA',
  mimeType: 'image/png',
  uri: 'https://example.org/a.png',
  annotations: { audience: ['user'], priority: 1 },
};
const resource = { type: 'resource', resource: { uri: 'file:///a.md', text: 'a', blob: 'AAAA', mimeType: 'text/plain', _meta: meta } };
const text = { type: 'text', text: 'words', annotations: { audience: ['user'], lastModified: 'x' }, _meta: meta };
const call = {
  toolCallId: 'known',
  title: 'Edit a.ts',
  kind: 'edit',
  status: 'completed',
  content: [
    { type: 'content', content: text },
    { type: 'diff', path: '/a.ts', oldText: 'a', newText: 'b', _meta: meta },
    { type: 'terminal', terminalId: 't' },
  ],
  locations: [{ path: '/a.ts', line: 1, _meta: meta }],
  rawInput: { command: 'ls' },
  rawOutput: { output: 'out', exitCode: 1 },
  _meta: meta,
};

const updates: readonly { readonly [name: string]: Json }[] = [
  ...[text, image, link, resource, { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }].flatMap((content) => [
    { sessionUpdate: 'agent_message_chunk', content, messageId: 'm', _meta: meta },
    { sessionUpdate: 'agent_thought_chunk', content, messageId: 'm', _meta: meta },
    { sessionUpdate: 'user_message_chunk', content, messageId: 'm', _meta: meta },
  ]),
  { sessionUpdate: 'tool_call', ...call },
  { sessionUpdate: 'tool_call_update', ...call },
  { sessionUpdate: 'plan', entries: [{ content: 'Step', priority: 'high', status: 'completed', _meta: meta }], _meta: meta },
  { sessionUpdate: 'session_info_update', title: 'Title', updatedAt: '2026-01-01', _meta: meta },
  { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency: 'USD' }, _meta: meta },
  { sessionUpdate: 'notice', severity: 'info', title: 'Note', description: 'd', _meta: meta },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary: [text], error: 'e', _meta: meta },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: text, _meta: meta },
];

const odd: readonly (Json | undefined)[] = [undefined, null, 7, '', 'odd', true, [], [null, 7, 'odd', {}], {}, { type: 'odd' }];

/** The value with each of its members, at any depth, replaced by each odd one. */
function* variants(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [name, member] of entries) {
    const inner = [...variants(member)];
    for (const change of name === 'sessionUpdate' ? [] : [...odd, ...inner]) {
      const changed = entries.flatMap(([other, kept]): [string, Json][] =>
        other !== name ? [[other, kept]] : change === undefined ? [] : [[other, change]],
      );
      yield Array.isArray(value) ? changed.map(([, kept]) => kept) : Object.fromEntries(changed);
    }
  }
}

function terminal() {
  const write = (): boolean => true;
  const stream = (): NodeJS.WriteStream =>
    new Proxy(process.stdout, { get: (_, name) => ({ write, once: () => undefined })[String(name)] });
  const io = { stdin: process.stdin, stdout: stream(), stderr: stream(), env: {}, platform: 'linux' as const };
  return createTextOutput({
    io,
    screen: new Screen(io),
    cwd: '/home/me/project',
    agent: { label: 'Agent' },
    asks: true,
  });
}

describe('any odd member', () => {
  for (const update of updates) {
    const { sessionUpdate, content } = update;
    const type = typeof content === 'object' && content !== null && 'type' in content ? content.type : '';
    test(`${JSON.stringify([sessionUpdate, type])} is drawn in the page and in the terminal`, () => {
      const known: readonly SessionEvent[] = [
        turn,
        { type: 'message', at: start, role: 'agent', content: { type: 'text', text: 'Known.' }, messageId: 'before' },
        { type: 'tool', at: start, id: 't1/known', toolCallId: 'known', patch: { title: 'Known call', status: 'in_progress' } },
      ];
      let drawn = 0;
      for (const variant of variants(update)) {
        if (typeof variant !== 'object' || variant === null || Array.isArray(variant)) continue;
        const parsed = parseUpdate({ ...variant });
        const event =
          'problem' in parsed ? undefined : new UpdateMap(standardQuirks, '/home/me/project', 'p').toEvent(parsed.update, start);
        if (event === undefined) continue;
        const session = reduceAll(sessionOf(...known), [event]);
        const { view } = draw({ session });
        const output = terminal();
        for (const each of [...known, event]) output.event('s1', each, false);
        drawn++;
        const answer = view.items.find((item) => item.kind === 'agent');
        assert.ok(answer?.kind === 'agent' && answer.markdown.startsWith('Known.'), JSON.stringify(variant));
        for (const item of session.items) {
          if (item.kind !== 'tool') continue;
          assert.ok(item.title !== '' && toolStatuses.includes(item.status), JSON.stringify(variant));
        }
      }
      assert.ok(drawn > 0);
    });
  }
});
