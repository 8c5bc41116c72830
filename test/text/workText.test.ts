import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolTitle, withoutFolder } from '../../src/text/workText.js';

test('paths inside the folder are relative to it, and others are shown in full', () => {
  const named: Readonly<Record<string, string>> = {
    'Read /home/me/project/src/a.ts': 'Read src/a.ts',
    'diff /home/me/project/a /home/me/project/b': 'diff a b',
    "cat '/home/me/project/a b'": "cat 'a b'",
    'Read /home/me/project-2/a.ts': 'Read /home/me/project-2/a.ts',
    'Read /mnt/home/me/project/a.ts': 'Read /mnt/home/me/project/a.ts',
    'ls /home/me/project': 'ls /home/me/project',
    'ls /home/me/project/': 'ls /home/me/project/',
  };
  for (const [text, shown] of Object.entries(named)) assert.equal(withoutFolder(text, '/home/me/project'), shown);
  assert.equal(withoutFolder('C:\\work\\a.ts', 'C:\\work'), 'a.ts');
  assert.equal(withoutFolder('/etc/passwd', '/'), '/etc/passwd');
});

test('a title that is a command is shown without its shell', () => {
  const titles: Readonly<Record<string, string>> = {
    "/bin/bash -lc 'npm test'": 'npm test',
    "Run /bin/bash -lc 'cat /home/me/project/a.ts'": 'Run cat a.ts',
    "`bash -lc 'ls'`": 'ls',
    'git push -c x': 'git push -c x',
    'Read the file `a`': 'Read the file `a`',
  };
  for (const [title, shown] of Object.entries(titles)) assert.equal(toolTitle(title, '/home/me/project'), shown);
});
