/**
 * Speaks a protocol that nobody has: JSON lines that are no JSON-RPC, without ids for calls. It knows no earlier sessions, and keeps a queue of its own.
 * Says back what it hears, word by word; `ask` asks, `die` dies, `hang` waits to be stopped, `oops` fails, `set KEY VALUE` changes an option by itself.
 */
import { createInterface } from 'node:readline';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sessions = new Map();
let opened = 0;

const options = (session) => [{ key: 'mood', values: ['calm', 'loud'], value: session.mood }];

async function take(session, text) {
  const answerOf = (id) => new Promise((resolve) => session.answers.set(id, resolve));
  session.stopped = false;
  if (text === 'die') process.exit(9);
  if (text === 'oops') return say({ is: 'oops', session: session.id, text: 'a parrot cannot do this' });
  if (text === 'hang') await new Promise((resolve) => (session.stop = resolve));
  if (text === 'ask') {
    const id = `q${++session.asked}`;
    say({ is: 'ask', session: session.id, id, text: 'May I squawk?' });
    const yes = await answerOf(id);
    say({ is: 'word', session: session.id, text: yes ? 'Squawk!' : '…' });
  }
  for (const word of text.split(' ')) {
    if (session.stopped) break;
    say({ is: 'word', session: session.id, text: session.mood === 'loud' ? word.toUpperCase() : word });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function run(session, text) {
  session.busy = true;
  await take(session, text);
  while (session.queue.length > 0 && !session.stopped) {
    const next = session.queue.shift();
    say({ is: 'unqueued', session: session.id, id: next.id, taken: next.text });
    await take(session, next.text);
  }
  session.busy = false;
  say({ is: 'done', session: session.id, stopped: session.stopped });
}

const hear = {
  hello: () => say({ is: 'hello', name: 'Parrot', version: '1.0' }),
  open() {
    const session = { id: `p${++opened}`, mood: 'calm', queue: [], queued: 0, answers: new Map(), asked: 0, busy: false, stopped: false };
    sessions.set(session.id, session);
    // Before the answer that names it: the adapter has to cope.
    say({ is: 'word', session: session.id, text: 'Ahoy.' });
    say({ is: 'opened', session: session.id, options: options(session) });
  },
  say({ session, text }) {
    void run(sessions.get(session), text);
  },
  later({ session, text }) {
    const own = sessions.get(session);
    const id = `l${++own.queued}`;
    own.queue.push({ id, text });
    say({ is: 'queued', session, id, text });
  },
  forget({ session, id }) {
    const own = sessions.get(session);
    own.queue = own.queue.filter((one) => one.id !== id);
    say({ is: 'unqueued', session, id });
  },
  stop({ session }) {
    const own = sessions.get(session);
    own.stopped = true;
    own.stop?.();
  },
  set({ session, key, value }) {
    const own = sessions.get(session);
    own[key] = value;
    say({ is: 'options', session, options: options(own) });
  },
  answer({ session, id, yes }) {
    sessions.get(session).answers.get(id)?.(yes);
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    hear[message.do]?.(message);
  })
  .on('close', () => process.exit(0));
