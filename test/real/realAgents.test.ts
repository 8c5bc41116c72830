/** The check of real agents (`npm run agents -- check`) over those that are small enough for every run. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { cases } from '../realAgents/cases.js';
import { agentsNamed } from '../realAgents/catalog.js';
import { checkAgent } from '../realAgents/check.js';
import { install } from '../realAgents/install.js';

const inCi = process.env['CI'] === 'true';
/** The suite of agentao covers the other cases faster. These cases go through the command line. */
const always = [
  'text',
  'shell, allowed',
  'shell, rejected',
  'edit a file',
  'changes, and undo',
  'resume in a new process',
  'killed in a turn',
  'no key',
];

for (const agent of agentsNamed(['agentao-0.5.17', 'sdk-example'])) {
  const isHere = agent.source === 'variable' ? process.env[agent.variable] !== undefined : inCi;
  describe(agent.name, { skip: !isHere && !inCi && 'it is checked where CI=true, or with `npm run agents -- check`' }, () => {
    before(() => install(agent, () => {}));

    for (const { title } of cases.filter((one) => (agent.isScripted ? always.includes(one.title) : one.forAll === true))) {
      test(title, async () => {
        const { verdicts } = await checkAgent(agent, [title], () => {});
        assert.deepEqual(
          verdicts.filter(({ verdict }) => verdict.type === 'fault'),
          [],
        );
      });
    }
  });
}
