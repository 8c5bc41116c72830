import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rankFiles } from '../../src/extension/editor/workspaceFiles.js';

const paths = ['README.md', 'src/parser.ts', 'src/parser/tree.ts', 'docs/how-to-parse.md', 'test/parser.test.ts', 'package.json'];

describe('the files that @ offers', () => {
  it('are those whose name begins with the text, then those whose name contains it, then those in such a folder', () => {
    assert.deepEqual(rankFiles(paths, 'Pars', 10), ['src/parser.ts', 'test/parser.test.ts', 'docs/how-to-parse.md', 'src/parser/tree.ts']);
  });

  it('are found by a path', () => {
    assert.deepEqual(rankFiles(paths, 'src/parser', 10), ['src/parser.ts', 'src/parser/tree.ts']);
  });

  it('begin with the shortest paths before anything is typed', () => {
    assert.deepEqual(rankFiles(paths, '', 2), ['README.md', 'package.json']);
  });

  it('always contain the text, once each, in the same order whatever order the search found them in', () => {
    const path = fc.array(fc.stringMatching(/^[a-cA-C.]{1,4}$/), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path), fc.stringMatching(/^[a-c/]{0,3}$/), fc.nat(5), (all, typed, limit) => {
        const offered = rankFiles(all, typed, limit);
        assert.equal(offered.length, Math.min(limit, all.filter((one) => one.toLowerCase().includes(typed)).length));
        assert.equal(new Set(offered).size, offered.length);
        for (const one of offered) assert.ok(one.toLowerCase().includes(typed));
        assert.deepEqual(rankFiles(all.toReversed(), typed, limit), offered);
      }),
    );
  });
});
