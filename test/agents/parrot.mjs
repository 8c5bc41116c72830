/**
 * Speaks a protocol that exists only in these tests: JSON lines without JSON-RPC and without ids for calls. It has its own queue, and no earlier
 * sessions. It sends a prompt back word by word, except for these: `ask` sends a request, `askAgain` sends another one after it was stopped,
 * `die` exits, `hang` waits until it is stopped, `mute` also answers no call until then, `key` reports the key that it was given, `deaf` ignores
 * the end of stdin, `family` starts a child, `babble` sends invalid and unknown messages, `oops` fails, and `flood COUNT BYTES` sends that many
 * messages of that size.
 */
import { spawn } from 'node:child_process';
import { readLines } from './lines.mjs';
import { flood } from '../standIns/flood.mjs';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sessions = new Map();
let opened = 0;
let mute = false;
let deaf = false;

const options = (session) => [{ key: 'mood', values: ['calm', 'loud'], value: session.mood }];

const squawk = (session, text) => say({ is: 'word', session: session.id, text });

async function question(session) {
  const id = `q${++session.asked}`;
  say({ is: 'ask', session: session.id, id, text: 'May I squawk?' });
  const yes = await new Promise((resolve) => session.answers.set(id, resolve));
  squawk(session, yes ? 'Squawk!' : '…');
}

const untilStopped = (session) => new Promise((resolve) => (session.stop = resolve));

const tricks = {
  die: () => process.exit(9),
  key: (session) => squawk(session, process.env['PARROT_KEY'] ?? 'none'),
  hang: untilStopped,
  async mute(session) {
    mute = true;
    squawk(session, 'mute');
    await untilStopped(session);
    mute = false;
  },
  ask: question,
  async askAgain(session) {
    const stopped = untilStopped(session);
    await question(session);
    await stopped;
    await question(session);
  },
  deaf() {
    deaf = true;
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
  },
  async family(session) {
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1 << 30); process.send('ready'); process.disconnect();";
    const child = spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await new Promise((resolve) => child.once('message', resolve));
    squawk(session, `${process.pid} ${child.pid}`);
  },
  babble() {
    process.stdout.write('I am a parrot\n');
    for (const words of [
      { is: 'hologram' },
      [1, [2]],
      null,
      5,
      { is: 'word', session: 7 },
      { is: 'word', session: 'nobody', text: 'lost' },
    ])
      say(words);
    for (const is of ['done', 'opened', 'options', 'hello', 'oops']) say({ is, session: 'nobody', options: 'none' });
  },
};

async function take(session, text) {
  session.stopped = false;
  await (Object.hasOwn(tricks, text) ? tricks[text](session) : undefined);
  for (const word of text.split(' ')) {
    if (session.stopped) break;
    squawk(session, session.mood === 'loud' ? word.toUpperCase() : word);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function run(session, text) {
  if (text.startsWith('flood ')) {
    await flood(process.stdout, text, (words) => ({ is: 'word', session: session.id, text: words }));
    return say({ is: 'done', session: session.id, stopped: false });
  }
  if (text === 'oops') return say({ is: 'oops', session: session.id, text: 'a parrot cannot do this' });
  await take(session, text);
  while (session.queue.length > 0 && !session.stopped) {
    const next = session.queue.shift();
    say({ is: 'unqueued', session: session.id, id: next.id, taken: next.text });
    await take(session, next.text);
  }
  say({ is: 'done', session: session.id, stopped: session.stopped });
}

const hear = {
  hello: () => say({ is: 'hello', name: 'Parrot', version: '1.0' }),
  open() {
    const session = { id: `p${++opened}`, mood: 'calm', queue: [], queued: 0, answers: new Map(), asked: 0, stopped: false };
    sessions.set(session.id, session);
    // The adapter must accept messages before the answer that names the session.
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

readLines(
  process.stdin,
  (line) => {
    const message = JSON.parse(line);
    if (!mute || message.do === 'stop' || message.do === 'answer') hear[message.do]?.(message);
  },
  () => (deaf ? setInterval(() => {}, 1 << 30) : process.exit(0)),
);
