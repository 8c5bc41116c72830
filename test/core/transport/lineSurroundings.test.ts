/** Whatever surrounds a message on its line, the message arrives, once and in order. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NdjsonChannel } from '../../../src/core/transport/ndjsonChannel.js';
import { processorMs } from '../../processorTime.js';
import { receive } from '../process/launch.js';

/** What programs print without a line feed: terminal codes, progress, log text, and characters that were cut. */
const noise = fc.constantFrom<(string | Buffer)[]>(
  '',
  'Loaded cached credentials.',
  '\u001B]0;agent\u0007',
  '\u001B]0;agent\u001B\\',
  '\u001B[?25h\u001B[0m',
  '\u009B1m',
  '\uFEFF',
  '\0',
  'Downloading 10%\rDownloading 100%\r',
  '\u001B[2K\r',
  'debug: ',
  'set {a} and [b] "c" to \\',
  'an { open brace and a " quote: ',
  '{"level":"info","msg":"starting"} ',
  "{ jsonrpc: '2.0', id: 1 } ",
  '{"half":"a mess',
  '  \t',
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xff, 0xfe]),
);

const anyNoise = fc.oneof(
  { weight: 3, arbitrary: noise },
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll(/[\n"{}]/g, '·')),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('}{', '"}', '{"', '\\', '{"jsonrpc":"2.0"}', '\u2028'),
);
const messages = fc.array(
  text.map((part) => ({ method: 'm', params: { text: part, deep: { a: [{}] } } })),
  { minLength: 1, maxLength: 4 },
);
const line = fc.record({
  before: anyNoise,
  messages,
  between: fc.constantFrom('', ' ', '\u001B[0m', '\r'),
  after: anyNoise,
  end: fc.constantFrom('\n', '\r\n', '\r\r\n'),
});

function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'method' in value;
}

async function read(bytes: Buffer, cuts: readonly number[]): Promise<{ readonly values: readonly unknown[]; readonly noiseLines: number }> {
  const fromAgent = new PassThrough();
  const channel = new NdjsonChannel(fromAgent, new PassThrough());
  const received = receive(channel, isMessage);
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, other) => one - other);
  for (const [index, from] of [0, ...at].entries()) fromAgent.write(bytes.subarray(from, at[index] ?? bytes.length));
  fromAgent.end();
  await received.ended;
  return { values: received.values, noiseLines: channel.noiseLines };
}

test('a message is found behind, before and between anything else on its line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(4000), { maxLength: 8 }), async (lines, cuts) => {
      const bytes = Buffer.concat(
        lines.flatMap(({ before, messages: some, between, after, end }) =>
          [before, some.map((message) => JSON.stringify(message)).join(between), after, end].map((part) => Buffer.from(part)),
        ),
      );
      const { values } = await read(bytes, cuts);
      assert.deepEqual(
        values.filter(isMessage),
        lines.flatMap((one) => one.messages),
      );
    }),
    { numRuns: 1000 },
  );
});

test('what is quoted inside of something else is no message', async () => {
  const { values, noiseLines } = await read(
    Buffer.from('sent {msg: {"method":"m"}}\n[1, {"method":"m"}, x]\n"{\\"method\\":\\"m\\"}" was said\nINFO {"level":"info"}\n'),
    [],
  );
  assert.deepEqual(values, []);
  assert.equal(noiseLines, 4);
});

test('a line from which all messages were read does not count as unread, but one with a broken message does', async () => {
  assert.equal(
    (await read(Buffer.from('\u001B[0m\uFEFF{"method":"m"}\nLoaded.{"method":"m"}\r\n{"method":"m"} \u001B[K\n'), [])).noiseLines,
    0,
  );
  const broken = await read(Buffer.from('{"method":"m","params":{"te{"method":"n"}\n'), []);
  assert.deepEqual(broken, { values: [{ method: 'n' }], noiseLines: 1 });
});

test('the search in a long line without a message takes time in proportion to its length', async () => {
  const timeOf = async (shape: string, length: number): Promise<number> => {
    const bytes = Buffer.from(`${shape.repeat(length / shape.length)}\n`);
    const started = processorMs();
    await read(bytes, []);
    return processorMs() - started;
  };
  for (const shape of ['{"a":', '{', '{"', '[{"a":1}', '"\\']) {
    await timeOf(shape, 50_000);
    const short = await timeOf(shape, 250_000);
    const long = await timeOf(shape, 1_000_000);
    assert.ok(long < 4 * 3 * Math.max(short, 20), `${shape}: ${short} ms, then ${long} ms`);
  }
});
