/** A call that only asked, and got no answer, did not fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

for (const METHOD of ['elicitation/create', '_agentao.cn/ask_user'])
  for (const BESIDE of ['', '1'])
    test(`${METHOD}${BESIDE === '' ? '' : ' beside a command that fails'}: the call that asked is canceled, and others fail`, async () => {
      const place = await makePlace();
      try {
        const { stderr } = await runHere(place, ['run', ...testAgent('failsUnansweredQuestion'), 'go'], { env: { METHOD, BESIDE } });
        assert.match(stderr, /^- Ask for a name \(canceled\)$/m);
        assert.deepEqual(stderr.match(/^✗ .*$/gm), [...(BESIDE === '' ? [] : ['✗ Run tests']), '✗ Look around']);
        const { stderr: answered } = await runHere(place, ['run', '--answer', 'Ada', ...testAgent('failsUnansweredQuestion'), 'go'], {
          env: { METHOD, BESIDE },
        });
        assert.match(answered, /^✗ Ask for a name$/m, 'a failure after an answer is one');
      } finally {
        await place.remove();
      }
    });
