import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProcessDefinition } from '../../../src/core/agents/agentDefinition.js';
import { makeFolders } from '../../../src/core/node/files.js';
import { replaceSmallFile } from '../../../src/core/node/smallFiles.js';
import { listCatalog, withInstalledAgents } from '../../../src/core/registry/agentCatalog.js';
import { currentFile, formatInstalled } from '../../../src/core/registry/installedAgents.js';
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
