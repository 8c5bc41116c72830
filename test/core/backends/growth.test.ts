/** What the adapters remember of calls and prompts costs the same for each, however many there are. */
import { describe, test } from 'node:test';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { createToolFold } from '../../../src/core/backends/acp/toolCards.js';
import { foldAnswer, foldPermissionRequest, foldToolCall } from '../../../src/core/backends/acp/toolFold.js';
import { AcpQueue } from '../../../src/core/backends/acp/map.js';
import { ToolCards } from '../../../src/core/backends/agentCli/toolCards.js';
import { PiQueue } from '../../../src/core/backends/pi/piWaiting.js';
import { PiTools } from '../../../src/core/backends/pi/piTools.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { assertLinear, type Kind } from '../../linearTime.js';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const cards = (): ToolCards => new ToolCards(() => {}, { now: () => 1 });

const kinds: Readonly<Record<string, Kind>> = {
  'results of calls without ids': (count) => () => {
    const tools = cards();
    for (const i of numbers(count)) tools.call(`t${i}`, {});
    for (const i of numbers(count)) tools.result({ name: `t${i}`, result: '', isFailure: false });
  },
  'decisions about calls without ids': (count) => () => {
    const tools = cards();
    for (const { itemId = '' } of numbers(count).map(() => tools.ask('t', {}, undefined))) tools.refused(itemId);
  },
  'prompts that wait, in one report': (count) => {
    const words = numbers(count).map((i) => `p${i}`);
    const begin = (one: string) => ({ id: one, words: one, content: [] });
    return () => {
      const queue = new PiQueue();
      queue.replace(words, 1, begin);
      queue.replace(words.slice(1), 1, begin);
    };
  },
  'prompts that wait, as they are shown': (count) => {
    const prompts = numbers(count).map((i) => ({ id: `p${i}`, text: 'a' }));
    return () => void reduceAll(emptySession('s', '/w', 0), new AcpQueue().replace(prompts, 1));
  },
  'calls with one id': (count) => () => {
    const tools = new PiTools('/w', 'p');
    for (const i of numbers(count)) tools.announce(`m${i}`, 'c', 'bash', 1);
  },
  'answers to questions while many calls are open': (count) => () => {
    const fold = createToolFold('/w', standardQuirks, 'p');
    for (const i of numbers(count)) {
      foldToolCall(fold, { toolCallId: `c${i}`, title: 'x', kind: 'other' }, 1);
      foldAnswer(fold, undefined, true);
    }
  },
  'requests about none of the open calls': (count) => () => {
    const fold = createToolFold('/w', standardQuirks, 'p');
    for (const i of numbers(count)) {
      foldToolCall(fold, { toolCallId: `c${i}`, title: 'x', rawInput: { i } }, 1);
      foldPermissionRequest(fold, { toolCallId: `r${i}`, title: 'x', rawInput: { i: -1 } }, 1);
    }
  },
};

describe('the cost grows with the number alone', () => {
  for (const [name, kind] of Object.entries(kinds)) test(`of ${name}`, () => assertLinear(kind));
});
