/** What the host remembers of an agent's calls and requests costs the same for each, however many there are. */
import { describe, test } from 'node:test';
import { AnnouncedCalls } from '../../../src/core/host/announcedCalls.js';
import type { SessionEvent, ToolPatch } from '../../../src/core/session/event.js';
import type { PermissionRequest, PermissionSubject } from '../../../src/core/session/userRequest.js';
import { assertLinear } from '../../linearTime.js';

const subject: PermissionSubject = {
  itemId: undefined,
  toolCallId: 'asked',
  title: 'x',
  toolKind: 'execute',
  rawInput: undefined,
  content: [],
  locations: [],
};
const permission = (o: Partial<PermissionSubject> = {}): PermissionRequest => ({
  kind: 'permission',
  id: 'r',
  at: 1,
  sessionId: 's',
  subject: { ...subject, ...o },
  options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
});
const tool = (id: string, patch: ToolPatch): SessionEvent => ({ type: 'tool', at: 1, id, toolCallId: id, patch });
const contents = (count: number): PermissionSubject['content'] =>
  Array.from({ length: count }, (_, i) => ({ type: 'content', content: { type: 'text', text: `{"n": ${i}}` } }));
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('the cost grows with the number alone', () => {
  test('of requests that do not say what they are for', () =>
    assertLinear((count) => () => {
      const calls = new AnnouncedCalls();
      for (const i of numbers(count)) {
        calls.onEvent(tool(`c${i}`, { status: 'pending' }));
        calls.complete(permission());
      }
    }));

  test('of calls that are announced while a request that says much is open', () =>
    assertLinear((count) => () => {
      const calls = new AnnouncedCalls();
      let request = permission({ content: contents(count) });
      for (const i of numbers(count)) request = calls.onEvent(tool(`c${i}`, { title: 'x' }))?.(request) ?? request;
    }));

  test('of changes of the title of a call that says much and is asked about', () =>
    assertLinear((count) => () => {
      const calls = new AnnouncedCalls();
      const content = contents(count);
      calls.onEvent(tool('asked', { title: '0', content }));
      let request = permission({ title: '0', content });
      for (const i of numbers(count)) request = calls.onEvent(tool('asked', { title: `${i + 1}` }))?.(request) ?? request;
    }));
});
