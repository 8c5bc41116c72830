/**
 * Tests the redactor with test/fixtures/redaction: secrets as agents and people write them, and text that only looks similar.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as z from 'zod/mini';
import { Redactor } from '../../../src/core/base/redact.js';

const folder = path.resolve(import.meta.dirname, '../../fixtures/redaction');
const lines = (name: string): readonly string[] =>
  readFileSync(path.join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

const entry = z.object({ text: z.string(), secret: z.string() });
/** The mark prevents secret scanners from reporting the file. */
const secrets = lines('secrets.jsonl').map((line) => entry.parse(JSON.parse(line.replaceAll('·', ''))));
const ordinary = lines('ordinary.txt');

/** Returns whether any line of the secret is left, apart from very short ones. */
function leaks(out: string, secret: string): boolean {
  const lines = secret.split(/\n|\\n/).filter((line) => line.length >= 4);
  return lines.some((line) => out.includes(line));
}

const forms: readonly (readonly [string, (redactor: Redactor, text: string) => string])[] = [
  ['as text', (redactor, text) => redactor.text(text)],
  ['among words', (redactor, text) => redactor.text(`It says:\n${text}\nand more.`)],
  ['in a JSON value', (redactor, text) => redactor.stringify({ update: { content: [{ text }] } })],
  ['in JSON within a text', (redactor, text) => redactor.text(JSON.stringify({ output: `first\n${text}` }))],
  ['in pieces', (redactor, text) => redactor.pieces(text.match(/[^]{1,7}/g) ?? []).join('')],
];

describe('the corpus of secrets', () => {
  it('has at least 150 secrets and 100 ordinary texts', () => {
    assert.ok(secrets.length >= 150, `${secrets.length}`);
    assert.ok(ordinary.length >= 100, `${ordinary.length}`);
  });

  for (const [name, redact] of forms) {
    it(`is redacted completely ${name}`, () => {
      const redactor = new Redactor();
      assert.deepEqual(
        secrets.filter(({ text, secret }) => leaks(redact(redactor, text), secret)).map(({ text }) => text.slice(0, 120)),
        [],
      );
    });
  }
});

describe('ordinary text', () => {
  it('is unchanged', () => {
    const redactor = new Redactor();
    assert.deepEqual(
      ordinary.filter((text) => redactor.text(text) !== text).map((text) => `${text} → ${redactor.text(text)}`),
      [],
    );
  });

  it('is unchanged in JSON', () => {
    const redactor = new Redactor();
    assert.deepEqual(
      ordinary.filter((text) => redactor.stringify({ text }) !== JSON.stringify({ text })),
      [],
    );
  });

  it('is not held back for long if it arrives in pieces', () => {
    const redactor = new Redactor();
    const held = ordinary.map((text) => `${text}\nThen`).filter((text) => text.length - redactor.tailAt(text) > 12);
    assert.deepEqual(held, []);
  });
});
