// Sends messages in pieces with something else in between. The prompt names what: see `ways`.
import { send, serve, update } from './wire.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (words, more) => ({ content: { type: 'text', text: words, ...more } });

/** @returns the functions that send for one session */
function speakerOf(sessionId) {
  const speak = (kind) => (words, messageId) =>
    update(sessionId, { sessionUpdate: kind, ...text(words), ...(messageId === undefined ? {} : { messageId }) });
  return {
    say: speak('agent_message_chunk'),
    think: speak('agent_thought_chunk'),
    annotated: (words) =>
      update(sessionId, { sessionUpdate: 'agent_message_chunk', ...text(words, { annotations: { audience: ['user'] } }) }),
    attach: (content) => update(sessionId, { sessionUpdate: 'agent_message_chunk', content }),
    call: (toolCallId) =>
      update(sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId,
        title: `Look around ${toolCallId}`,
        kind: 'search',
        status: 'completed',
        rawInput: {},
      }),
    note: () => update(sessionId, { sessionUpdate: 'notice', severity: 'info', title: 'A note' }),
    plan: (status) => update(sessionId, { sessionUpdate: 'plan', entries: status ? [{ content: 'Step', priority: 'high', status }] : [] }),
    answer: (id) => send({ id, result: { stopReason: 'end_turn' } }),
  };
}

const ways = {
  'tool in code': ({ say, call }) => {
    say('Script:\n\n```sh\n# build\nmake a', 'm');
    call('t1');
    say('ll\nmake test\n```\n', 'm');
  },
  'asides in a word': ({ say, think, note, plan }) => {
    say('The an');
    note();
    say('swer is for');
    think('hm');
    say('ty-t');
    plan('completed');
    plan();
    say('wo.');
  },
  annotations: ({ annotated }) => {
    for (const words of ['The an', 'swer is **for', 'ty-two**.']) annotated(words);
  },
  'pictures and links': ({ say, attach }) => {
    say('First:');
    attach({ type: 'image', data: '', mimeType: '', uri: 'https://example.org/a.png' });
    say('then:');
    attach({ type: 'resource_link', uri: 'file:///notes.md', name: '' });
    attach({ type: 'image', data: 'AAAA', mimeType: '' });
    attach({ type: 'video', data: 'AAAA', mimeType: 'video/mp4' });
    say(' end.');
  },
  'two at once': ({ say }) => {
    say('First an', 'a');
    say('Second an', 'b');
    say('swer.', 'a');
    say('swer.', 'b');
  },
  'half characters': ({ say, call }) => {
    for (const words of ['lone \ud83d, low \ude00, split \ud83d', '\ude00.']) say(words);
    call('c\ud83d');
  },
  'under another id': () => {
    const { say } = speakerOf('s1-compacted');
    say('The answer is for');
    say('ty-two.');
  },
  'partly under another id': ({ say }) => {
    say('The answer is here.');
    speakerOf('somebody-else').say('Lost.');
  },
  'after the end': async ({ say, answer }, id) => {
    say('The answer is for');
    answer(id);
    await sleep(60);
    say('ty-two.');
  },
  'all after the end': async ({ say, call, answer }, id) => {
    answer(id);
    await sleep(60);
    call('t1');
    say('The answer is forty-two.');
  },
};

serve({
  'session/prompt': async ({ sessionId, prompt }, id) => {
    const way = prompt.map(({ text: words = '' }) => words).join('');
    await ways[way]?.(speakerOf(sessionId), id);
    return way.endsWith('after the end') ? new Promise(() => {}) : { stopReason: 'end_turn' };
  },
});
