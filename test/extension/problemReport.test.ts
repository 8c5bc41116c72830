/** What a problem report contains when it leaves the window, and what it does not. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Redactor } from '../../src/core/index.js';
import {
  agentSections,
  conversationSection,
  doctorSection,
  problemReport,
  settingsSection,
  trafficSection,
  versionSection,
} from '../../src/extension/problemReport/reportProblem.js';
import { hostOf, text } from '../core/host/launch.js';

const home = '/home/me';
/** Secrets that can only be recognized by their place. */
const planted = {
  envOfSetting: 'plain-words-of-a-variable',
  envOfAgent: 'quite-secret-value',
  key: 'sk-abcdefghijklmnop1234',
  bearer: 'abcdefgh.ijklmnop',
  password: 'hunter22',
  userInUrl: 'bob:pa55word',
  header: 'cookie-of-mine',
};
const said = 'the words that were said';

async function reportOf(t: TestContext, withContents: boolean): Promise<string> {
  const redactor = new Redactor();
  const host = await hostOf(t, 'obedient', { env: { MY_API_KEY: planted.envOfAgent }, redactor });
  const session = await host.newSession();
  await session.prompt(text(`say ${said} ${planted.key} at ${home}/project with Bearer ${planted.bearer}`));
  await session.prompt(text('env MY_API_KEY'));
  await session.prompt(text('die 9'));
  const diagnostics = host.diagnostics();
  return problemReport(
    [
      versionSection({ 'ACP Host': '0.1.0', editor: undefined }),
      settingsSection({
        'acpHost.agents': {
          mine: { command: `${home}/bin/mine`, args: ['--password=hunter22'], env: { PLAIN: planted.envOfSetting, GONE: null } },
        },
        'acpHost.agentao.baseUrl': `https://${planted.userInUrl}@example.org/v1`,
      }),
      doctorSection([
        {
          check: 'agent',
          state: 'ok',
          code: 'agent_found',
          params: {
            agent: 'obedient',
            command: 'obedient',
            commandLine: `${home}/bin/mine --cookie ${planted.header}`.replace(planted.header, '[nothing]'),
          },
        },
      ]),
      conversationSection(session.state, 'obedient', withContents),
      ...agentSections('obedient', diagnostics),
      trafficSection('obedient', host.readTraffic(), diagnostics, withContents),
    ],
    redactor,
    home,
  );
}

describe('a problem report', () => {
  for (const withContents of [false, true]) {
    it(`${withContents ? 'with' : 'without'} the conversation, it contains no planted secret`, async (t) => {
      const report = await reportOf(t, withContents);
      for (const [where, secret] of Object.entries(planted)) assert.ok(!report.includes(secret), `${where}: ${secret}`);
      assert.ok(!report.includes(home), 'the home folder');
      assert.match(report, /~\/bin\/mine/);
      assert.match(report, /"PLAIN": "\[set\]"/);
      assert.equal(report.includes(said), withContents);
    });
  }

  it('it has the facts that are needed first to find a fault', async (t) => {
    const report = await reportOf(t, false);
    for (const wanted of [
      /^## Versions\n\n- ACP Host: 0\.1\.0$/m,
      /^- processes started: 1$/m,
      /^- requests to the agent: [5-9]$/m,
      /\| host \| initialize \| .* \| ok \| \d+ ms \|/,
      /\| session\/prompt \| .* \| lost \| \d+ ms \|/,
      /^- turn 1: finished \(`end_turn`\), \d+ ms$/m,
      /^- turn 3: interrupted: obedient .+ \(`agent_exited: .*`\), \d+ ms$/m,
      /"sessionUpdate":"agent_message_chunk"/,
      /^- ok: obedient: `obedient` was found$/m,
      /^- status: (failed: obedient .+ \(`\w+`\)|(exited by itself|stopped by ACP Host)( \(.+\))?)$/m,
    ])
      assert.match(report, wanted);
  });
});
