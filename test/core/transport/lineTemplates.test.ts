import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineTemplates } from '../../../src/core/transport/lineTemplates.js';

const parseOrFail = (parse: () => unknown): unknown => {
  try {
    return { value: parse() };
  } catch (error) {
    return { error: (error as Error).name };
  }
};

/** Asserts the same result, failure, order of members and prototype as JSON.parse, line by line. */
function sameAsJsonParse(lines: readonly (string | Buffer)[]): void {
  const templates = new LineTemplates();
  for (const line of lines) {
    const bytes = Buffer.concat([Buffer.from('##'), Buffer.from(line as string), Buffer.from('##')]);
    const own = parseOrFail(() => templates.parse(bytes, 2, bytes.length - 2));
    const expected = parseOrFail(() => JSON.parse(bytes.toString('utf8', 2, bytes.length - 2)));
    assert.deepStrictEqual(own, expected);
    assert.equal(JSON.stringify(own), JSON.stringify(expected));
  }
}

const update = (text: string, session = 's', extra: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: session, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...extra } },
  });

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('"', '\\', 'n', 'u', '0', ',', ':', '{', '}', '\n', 'é', '😀'), maxLength: 12 }),
);

test('streams of text are parsed as by JSON.parse', () => {
  const line = fc.oneof(
    { weight: 6, arbitrary: text.map((words) => update(words)) },
    {
      weight: 1,
      arbitrary: text.map((words) => update(words, 'other', { messageId: 'm', _meta: { list: [1, { a: null }], deep: { x: {} } } })),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text.map((words) => `  ${update(words)} `) },
  );
  fc.assert(fc.property(fc.array(line, { maxLength: 25 }), sameAsJsonParse), { numRuns: 300 });
});

test('lines with changed bytes are parsed or refused as by JSON.parse', () => {
  const change = fc.record({ at: fc.nat(200), bytes: fc.uint8Array({ minLength: 0, maxLength: 3 }), drop: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.option(change, { freq: 2 })), { minLength: 3, maxLength: 20 }), (entries) => {
      sameAsJsonParse(
        ['a', 'b']
          .map((words) => update(words))
          .concat()
          .map((line) => Buffer.from(line))
          .concat(
            entries.map(([words, changed]) => {
              const line = Buffer.from(update(words));
              if (changed === null) return line;
              const at = changed.at % line.length;
              return Buffer.concat([line.subarray(0, at), changed.bytes, line.subarray(at + changed.drop)]);
            }),
          ),
      );
    }),
    { numRuns: 500 },
  );
});

test('strings with quotes, escapes or control characters are parsed or refused as by JSON.parse', () => {
  const breaking = [
    '","x":"',
    '"',
    '\\',
    '\\"',
    '\\\\"',
    '\\u0022',
    '\\ud800',
    '\t',
    '\u0000',
    '\u007f',
    '\u2028',
    '"}',
    '\\x',
    'mark-1',
    'mark-2',
    '',
  ];
  const raw = breaking.map((inner) => `{"a":{"t":"${inner}"},"z":1}`);
  sameAsJsonParse(['{"a":{"t":"one"},"z":1}', '{"a":{"t":"two"},"z":1}', ...raw, ...raw]);
});

test('a string that is a key, a duplicate member, an array element or the whole line is parsed as by JSON.parse', () => {
  sameAsJsonParse(['{"one":1}', '{"two":1}', '{"six":1}', '{"__proto__":1}', '{"constructor":1}']);
  sameAsJsonParse(['{"a":"one","a":"z"}', '{"a":"two","a":"z"}', '{"a":"six","a":"z"}']);
  sameAsJsonParse(['{"a":"z","a":"one"}', '{"a":"z","a":"two"}', '{"a":"z","a":"six"}']);
  sameAsJsonParse(['["one",{}]', '["two",{}]', '["six",{}]']);
  sameAsJsonParse([
    '{"__proto__":"one"}',
    '{"__proto__":"two"}',
    '{"__proto__":"six"}',
    '{"__proto__":{"a":"one"},"b":1}',
    '{"__proto__":{"a":"two"},"b":1}',
    '{"__proto__":{"a":"six"},"b":1}',
  ]);
  sameAsJsonParse(['"one"', '"two"', '"six"', '""', '"a', 'b"']);
  sameAsJsonParse(['{"2":"one","1":"b"}', '{"2":"two","1":"b"}', '{"2":"six","1":"b"}']);
});

test('parsed values share no objects', () => {
  const templates = new LineTemplates();
  const values = ['one', 'two', 'three', 'four'].map((words) => {
    const bytes = Buffer.from(update(words, 's', { _meta: { shared: [] } }));
    return templates.parse(bytes, 0, bytes.length) as { params: { update: { _meta: { shared: unknown[] }; content: { text: string } } } };
  });
  for (const value of values) value.params.update._meta.shared.push(value);
  for (const value of values) assert.equal(value.params.update._meta.shared.length, 1);
});
