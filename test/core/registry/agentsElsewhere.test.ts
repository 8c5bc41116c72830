import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { listAgentsElsewhere } from '../../../src/core/registry/agentsElsewhere.js';

const onWindows = process.platform === 'win32';

describe('agents elsewhere', () => {
  const saved = { HOME: process.env['HOME'], USERPROFILE: process.env['USERPROFILE'] };
  let home: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'acp-host-elsewhere-'));
    Object.assign(process.env, { HOME: home, USERPROFILE: home });
    env = { XDG_CONFIG_HOME: path.join(home, 'config'), APPDATA: path.join(home, 'config') };
  });
  after(async () => {
    Object.assign(process.env, saved);
    await rm(home, { recursive: true, force: true });
  });
  const zed = (): string => path.join(process.platform === 'darwin' ? path.join(home, '.config') : path.join(home, 'config'), 'zed');
  beforeEach(async () => {
    await rm(zed(), { recursive: true, force: true });
    await mkdir(zed(), { recursive: true });
  });
  const list = (settings: Readonly<Record<string, unknown>> = {}) => listAgentsElsewhere([], env, settings);
  const inSettings = (agents: unknown) => list({ 'acp.agents': agents });

  test('are those of Zed and of JetBrains IDEs, whose settings may have comments and be linked', async () => {
    const settings = `{ // mine
      "agent_servers": {
        "Mine": { "type": "custom", "command": "mine", "args": ["--acp"], "env": { "LEVEL": "2" }, },
        "claude-acp": { "type": "registry" }, /* has no command */
      },
    }`;
    const dotfiles = path.join(home, 'dotfiles.json');
    await writeFile(dotfiles, `\uFEFF${settings}`);
    if (onWindows) await writeFile(path.join(zed(), 'settings.json'), settings);
    else await symlink(dotfiles, path.join(zed(), 'settings.json'));
    await mkdir(path.join(home, '.jetbrains'), { recursive: true });
    await writeFile(path.join(home, '.jetbrains/acp.json'), '{"agent_servers":{"Other":{"command":"~/bin/other"}}}');
    assert.deepEqual(list(), [
      { host: 'zed', name: 'Mine', command: 'mine', args: ['--acp'], env: { LEVEL: '2' } },
      { host: 'jetbrains', name: 'Other', command: `${home}/bin/other`, args: [], env: {} },
    ]);
    await rm(path.join(home, '.jetbrains'), { recursive: true });
  });

  test('are those of the extensions of VS Code in their forms', () => {
    const expected = [{ host: 'vscode', name: 'Mine', command: 'mine', args: ['acp'], env: {} }];
    for (const settings of [
      { 'acp.agents': { Mine: { command: 'mine', args: ['acp'] } } },
      { 'acp.agents': [{ name: 'Mine', command: 'mine', args: ['acp'] }] },
      { agent_servers: { Mine: { command: { path: 'mine', args: ['acp'] } } } },
      { 'chat.agentHost.acpAgents': [{ id: 'm', name: 'Mine', command: 'mine', args: ['acp'], env: {} }] },
    ])
      assert.deepEqual(list(settings), expected, JSON.stringify(settings));
  });

  test('are read from all profiles of VS Code while its settings are not known', async () => {
    const support = process.platform === 'darwin' ? 'Library/Application Support' : 'config';
    const user = path.join(home, support, 'Code/User');
    await mkdir(path.join(user, 'profiles/5a1b'), { recursive: true });
    await writeFile(path.join(user, 'settings.json'), '{"acp.agents":{"One":{"command":"one"}}}');
    await writeFile(path.join(user, 'profiles/5a1b/settings.json'), '{"acp.agents":{"One":{"command":"one"},"Two":{"command":"two"}}}');
    await writeFile(path.join(user, 'profiles/note.txt'), '');
    assert.deepEqual(
      listAgentsElsewhere([], env).map(({ name }) => name),
      ['One', 'Two'],
    );
    await rm(user, { recursive: true });
  });

  test('are listed once, and not if they can be chosen already', () => {
    const mine = { command: 'mine', args: ['acp'], env: { A: '1', B: '2' } };
    const settings = { 'acp.agents': { Mine: mine }, agent_servers: { Again: { ...mine, env: { B: '2', A: '1' } } } };
    assert.deepEqual(
      list(settings).map(({ name }) => name),
      ['Again'],
    );
    assert.deepEqual(listAgentsElsewhere([{ id: 'x', label: 'x', protocol: 'acp', ...mine }], env, settings), []);
  });

  test('an entry that is none affects no other', () => {
    const odd = [
      null,
      7,
      'mine',
      [],
      {},
      { command: '' },
      { command: 'a\0b' },
      { command: 'a', args: 'b' },
      { command: 'a', env: { A: 1 } },
    ];
    const relative = { command: './mine' };
    const agents = Object.fromEntries([...odd, relative, { command: 'good' }].map((entry, index) => [`n${index}`, entry]));
    assert.deepEqual(
      inSettings(agents).map(({ command }) => command),
      ['good'],
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(inSettings(value))));
  });

  test('a file that is too large, binary, no JSON or a folder has none', async () => {
    const file = path.join(zed(), 'settings.json');
    const agents = '{"agent_servers":{"Mine":{"command":"mine"}}}';
    for (const content of ['', '{', '[]', `${agents}${' '.repeat(1024 * 1024)}`, Buffer.from([0xff, 0xfe, 0])]) {
      await writeFile(file, content);
      assert.deepEqual(list(), []);
    }
    await rm(file);
    await mkdir(file);
    assert.deepEqual(list(), []);
  });
});
