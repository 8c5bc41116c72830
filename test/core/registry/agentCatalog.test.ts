import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProcessDefinition } from '../../../src/core/agents/agentDefinition.js';
import { HostError } from '../../../src/core/base/errors.js';
import { makeFolders } from '../../../src/core/node/files.js';
import { replaceSmallFile } from '../../../src/core/node/smallFiles.js';
import { listCatalog, planInstall, readRegistry, registryUrl, withInstalledAgents } from '../../../src/core/registry/agentCatalog.js';
import { agentsFolder, currentFile, formatInstalled, readInstalledAgents } from '../../../src/core/registry/installedAgents.js';
import { parseRegistry } from '../../../src/core/registry/registryEntry.js';

const installedAt = 1_000_000;

describe('the catalog of agents', () => {
  let stateFolder: string;
  before(async () => {
    stateFolder = await mkdtemp(path.join(tmpdir(), 'acp-host-catalog-'));
    const file = currentFile(stateFolder, 'small');
    await makeFolders(path.dirname(file));
    const started = { program: 'bin/small', args: [], env: {}, source: 'small@1.1.0' };
    const agent = { registryId: 'small', name: 'Small', version: '1.1.0', folder: '1.1.0-x', ...started, installedAt };
    replaceSmallFile(file, formatInstalled(agent));
  });
  after(() => rm(stateFolder, { recursive: true, force: true }));

  it('has an update only from a list that is newer than the installation', async () => {
    const updateOf = async (version: string, asOf: number): Promise<string | undefined> => {
      const entry = { id: 'small', name: 'Small', version, distribution: { npx: { package: `small@${version}` } } };
      const registry = { entries: [], leftOut: [], ...parseRegistry({ agents: [entry] }, process), asOf };
      const context = { env: {}, cwd: stateFolder };
      const { agents } = await listCatalog<ProcessDefinition>({ builtin: [] }, registry, { stateFolder, context });
      return agents.find(({ definition }) => definition.id === 'small')?.update?.version;
    };
    assert.deepEqual(
      [await updateOf('1.0.0', installedAt - 1), await updateOf('1.2.0', installedAt + 1), await updateOf('1.1.0', installedAt + 1)],
      [undefined, '1.2.0', undefined],
    );
  });

  it('knows the quarantine of a version that the registry froze, also in a newer list, which is published without it', () => {
    const url = 'https://example.com/registry.json';
    const shipped = readRegistry(stateFolder, url).entries.find(({ id }) => id === 'deepagents');
    assert.equal(shipped?.quarantine, 'Missing npm dependency');
    const quarantineOf = (version: string, more: object = {}): string | undefined => {
      const agents = [{ id: 'deepagents', name: 'x', version, distribution: {} }];
      const saved = { fetchedAt: 1, source: url, registry: { agents, ...more } };
      replaceSmallFile(path.join(agentsFolder(stateFolder), 'registry.json'), JSON.stringify(saved));
      return readRegistry(stateFolder, url).entries[0]?.quarantine;
    };
    const quarantine = { deepagents: 'Too\nnew' };
    assert.deepEqual(
      [quarantineOf(shipped.version), quarantineOf('99.0.0'), quarantineOf('99.0.0', { quarantine })],
      [shipped.quarantine, undefined, 'Too new'],
    );
    for (const wrong of [null, 'deepagents', [], { deepagents: 1 }]) assert.equal(quarantineOf('99.0.0', { quarantine: wrong }), undefined);
  });

  it('installs from an older list without a network, but updates only from the newest one', async () => {
    const unreachable = new HostError('install_failed', { reason: 'unreachable' });
    const older: HostError[] = [];
    const options = {
      ...{ stateFolder, url: registryUrl, env: process.env },
      fetch: () => Promise.reject(unreachable),
      onOlderList: (_: number, error: HostError) => older.push(error),
    };
    const [installed] = await readInstalledAgents(stateFolder);
    const [known] = readRegistry(stateFolder, registryUrl).entries.filter(({ ways }) => ways.some(({ type }) => type === 'npm'));
    assert.ok(installed !== undefined && known !== undefined);
    const { entry, isUpToDate } = await planInstall(known.id, options);
    assert.deepEqual([entry.id, isUpToDate], [known.id, false]);
    await assert.rejects(planInstall(known.id, { ...options, update: { ...installed, registryId: known.id } }), unreachable);
    assert.deepEqual(older, [unreachable]);
  });

  it('says what is missing before it asks for consent, and that the newest version is installed', async () => {
    const agents = ['1.1.0', '1.2.0'].map((version, index) => ({
      id: index === 0 ? 'small' : 'other',
      name: 'x',
      version,
      distribution: { npx: { package: `x@${version}` } },
    }));
    const registry = { entries: [], leftOut: [], ...parseRegistry({ agents }, process), asOf: 1 };
    const options = { stateFolder, url: registryUrl, env: process.env, fetch: () => Promise.resolve(registry), onOlderList() {} };
    const [update] = await readInstalledAgents(stateFolder);
    assert.deepEqual(
      [(await planInstall('small', { ...options, update })).isUpToDate, (await planInstall('other', { ...options, update })).isUpToDate],
      [true, false],
    );
    const failsWith = (params: object) => (error: unknown) => error instanceof HostError && (assert.deepEqual(error.params, params), true);
    await assert.rejects(
      planInstall('small', { ...options, env: { PATH: stateFolder } }),
      failsWith({ reason: 'tool_missing', tool: 'npm' }),
    );
    await assert.rejects(planInstall('unknown', options), failsWith({ reason: 'not_listed' }));
  });

  it('has the agents of the user before those that were installed, so that an installation changes no default', async () => {
    const [known, mine] = ['known', 'mine'].map((id) => ({ id, label: id, protocol: 'acp', command: id, args: [], env: {} }));
    assert.ok(known !== undefined && mine !== undefined);
    const definitions = await withInstalledAgents({ builtin: [known], configured: [mine] }, stateFolder);
    assert.deepEqual(
      definitions.map(({ id }) => id),
      ['known', 'mine', 'small'],
    );
  });
});
