/** What an agent counts costs the command line time in proportion to its number. */
import { describe, it } from 'node:test';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { terminalRequests } from '../../src/cli/input/terminalPrompt.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { Screen } from '../../src/cli/output/screen.js';
import { ToolLines } from '../../src/cli/output/toolLines.js';
import type { FormField, FormRequest } from '../../src/core/index.js';
import { assertLinear } from '../linearTime.js';

const list = <T>(count: number, one: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => one(index));

const paint = paintFor(false);
const parts = { paint, cwd: '/project' };
/** Discards what is written. */
const mute = new Proxy(process.stdout, { get: () => () => true });

function formOf(fields: readonly FormField[], id = 'r'): FormRequest {
  return { kind: 'form', id, sessionId: 's', at: 0, message: 'Which?', fields };
}

/** Opens calls, and then as many requests that name none of them. */
function callsAndRequests(count: number): void {
  const lines = new ToolLines({ ...parts, agent: { label: 'agent' }, write: () => {} });
  for (const i of Array(count).keys())
    lines.add({ type: 'tool', at: 0, id: `t${i}`, toolCallId: `t${i}`, patch: { title: 'x', status: 'in_progress' } });
  for (const i of Array(count).keys()) {
    lines.hold({ type: 'request_opened', at: 1, request: formOf([], `r${i}`) });
    lines.resume({ type: 'request_closed', at: 2, requestId: `r${i}`, answer: { type: 'cancel' } });
  }
  lines.end();
}

const works: Readonly<Record<string, (count: number) => unknown>> = {
  'suggested choices of a form': (count) => {
    const choices = list(count, (i) => ({ value: `v${i}`, label: `Label ${i}` }));
    const defaultValue = choices.map(({ value }) => value);
    const field = { type: 'multiselect', name: 'x', required: true, allowCustom: false, choices, defaultValue } as const;
    return openDialog(formOf([field]), { ...parts, agentLabel: 'agent' }).prompt();
  },
  'open calls and requests that name none of them': callsAndRequests,
  'open requests that end': (count) => {
    const screen = new Screen({ stdin: process.stdin, stdout: mute, stderr: mute, env: {}, platform: 'linux' });
    const settle = (draw: () => void) => (draw(), { dispose: () => {} });
    const requests = terminalRequests({ ...parts, agent: { label: 'agent' }, screen, prompt: () => {}, settle });
    const ids = list(count, (i) => `r${i}`);
    for (const id of ids) requests.ask(formOf([], id), () => true);
    for (const id of [...ids.slice(count / 2).reverse(), ...ids.slice(0, count / 2)]) requests.closed(id);
  },
};

describe('the cost of the command line grows with the number of', () => {
  for (const [name, work] of Object.entries(works)) it(name, () => assertLinear((count) => () => work(count)));
});
