import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLongTextFiles } from '../../../src/core/conversation/longText.js';
import { checkPrompt, type LongTextFile } from '../../../src/core/index.js';

describe('a long text as a file', () => {
  const isLong = (text: string): boolean => checkPrompt({ name: 'agentao' }, [{ type: 'text', text }]) !== undefined;

  it('the prompt stays in the message, and a part that may hang the agent goes into a file in full', async () => {
    const files: string[] = [];
    const write = (text: string): Promise<LongTextFile> => {
      files.push(text);
      return Promise.resolve({ name: `f${files.length}.txt`, uri: `file:///f${files.length}.txt` });
    };
    const line = `what is ${'QUJD'.repeat(4_000)}`;
    const content = await withLongTextFiles([{ type: 'text', text: `hello\n${line}\nthanks` }], isLong, write);
    assert.deepEqual(files, [line]);
    assert.deepEqual(content, [
      { type: 'text', text: 'hello\nwhat is [here belongs the text in the file f1.txt]\nthanks' },
      { type: 'resource_link', uri: 'file:///f1.txt', name: 'f1.txt', mimeType: 'text/plain', size: line.length },
    ]);
    assert.equal(checkPrompt({ name: 'agentao' }, content), undefined);
  });

  it('no message has a part that may hang the agent, whatever the text', async () => {
    const words = fc
      .array(
        fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.nat({ max: 20_000 }).map((length) => 'x'.repeat(length)),
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(' \n'));
    await fc.assert(
      fc.asyncProperty(words, async (text) => {
        const content = await withLongTextFiles([{ type: 'text', text }], isLong, async () => ({ name: 'f.txt', uri: 'file:///f.txt' }));
        assert.equal(checkPrompt({ name: 'agentao' }, content), undefined);
        if (!isLong(text)) assert.deepEqual(content, [{ type: 'text', text }]);
      }),
      { numRuns: 50 },
    );
  });
});
