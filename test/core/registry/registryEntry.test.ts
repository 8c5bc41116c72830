import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseRegistry, plumbingVariables, type RegistryEntry } from '../../../src/core/registry/registryEntry.js';

const linux = { platform: 'linux', arch: 'x64' } as const;
const parse = (...agents: readonly unknown[]) => parseRegistry({ version: '1.0.0', agents }, linux);
const entry = (distribution: object, o: object = {}): object => ({
  id: 'mine',
  name: 'Mine',
  version: '1.2.3',
  description: 'x',
  distribution,
  ...o,
});
const only = (parsed: ReturnType<typeof parse>): RegistryEntry | undefined => parsed?.entries[0];
const archive = 'https://example.com/mine.tar.gz';

describe('an entry of the registry', () => {
  it('that ships with ACP Host is read without anything left out', async () => {
    const file = new URL('../../../src/core/registry/registrySnapshot.json', import.meta.url);
    const registry: unknown = JSON.parse(await readFile(file, 'utf8'));
    const parsed = parseRegistry(registry, linux);
    assert.equal(parsed?.entries.length, 39);
    assert.deepEqual(parsed.leftOut, []);
    for (const machine of [
      { platform: 'win32', arch: 'x64' },
      { platform: 'darwin', arch: 'arm64' },
    ] as const)
      assert.ok((parseRegistry(registry, machine)?.entries.filter(({ ways }) => ways.length > 0).length ?? 0) > 35);
  });

  it('has the ways that fit this system, and members that are not used are dropped', () => {
    const way = { args: ['--acp'], env: { MODE: 'x' } };
    const parsed = only(
      parse(
        entry(
          {
            npx: { package: '@scope/mine@1.2.3', ...way, more: true },
            uvx: { package: 'mine==1.2.3', cmd: 'mine-acp' },
            binary: { 'linux-x86_64': { archive, cmd: './mine', sha256: 'A'.repeat(64) }, 'windows-x86_64': { archive, cmd: 'x.exe' } },
          },
          { license: 'MIT', website: 'javascript:alert(1)', repository: 'https://example.com/mine', icon: 'x', authors: ['a'] },
        ),
      ),
    );
    assert.deepEqual(parsed, {
      id: 'mine',
      name: 'Mine',
      version: '1.2.3',
      description: 'x',
      license: 'MIT',
      website: 'https://example.com/mine',
      ways: [
        { type: 'npm', name: '@scope/mine', version: '1.2.3', ...way },
        { type: 'python', name: 'mine', version: '1.2.3', program: 'mine-acp', args: [], env: {} },
        { type: 'binary', url: archive, kind: 'tar.gz', program: './mine', sha256: 'a'.repeat(64), args: [], env: {} },
      ],
    });
  });

  it('that is bad costs only itself', () => {
    const good = entry({ npx: { package: 'mine@1.2.3' } });
    const bad = [
      null,
      7,
      {},
      { id: '../x' },
      entry({}, { id: 'UPPER' }),
      entry({}, { version: '../1' }),
      entry({}, { id: 'con\u0000' }),
      good,
    ];
    const parsed = parse(...bad, good);
    assert.deepEqual(
      [parsed?.entries.length, parsed?.leftOut.map(({ why }) => why)],
      [1, [...Array.from({ length: 7 }, () => 'shape'), 'id_twice']],
    );
    assert.equal(parseRegistry({ agents: {} }, linux), undefined);
    assert.equal(parseRegistry('<html>', linux), undefined);
  });

  it('is refused if it is not pinned, not inside its archive, not encrypted, or decides which programs run', () => {
    const binary = (o: object) => ({ binary: { 'linux-x86_64': { archive, cmd: './mine', ...o } } });
    const refused: readonly (readonly [string, object])[] = [
      ...[
        'mine',
        'mine@latest',
        'mine@^1.2.3',
        'git+https://x/y',
        'file:../x',
        '--registry=x@1.2.3',
        '../x@1.2.3',
        'a b@1.2.3',
        '-g@1.2.3',
        '@-s/x@1.2.3',
        '@s/-x@1.2.3',
        '~x@1.2.3',
      ].map((name) => ['not_pinned', { npx: { package: name } }] as const),
      ...['mine', 'mine>=1', 'mine @ https://x', '-r==1', 'git+https://x==1'].map(
        (name) => ['not_pinned', { uvx: { package: name } }] as const,
      ),
      ...['../mine', '/bin/sh', 'a/../../b', '', 'x/', 'x/. .', 'x'.repeat(501)].map((cmd) => ['shape', binary({ cmd })] as const),
      ...['http://example.com/x.zip', 'http://127.0.0.1/x.zip', 'file:///x.zip', 'https://user:pass@example.com/x.zip', 'x'].map(
        (url) => ['shape', binary({ archive: url })] as const,
      ),
      ['shape', binary({ sha256: 'short' })],
      ['shape', binary({ args: ['a\0b'] })],
      ['archive_kind', binary({ archive: 'https://example.com/x.dmg' })],
      ['plumbing_variable', binary({ env: { LD_PRELOAD: '/x.so' } })],
      ['plumbing_variable', { npx: { package: 'mine@1.2.3', env: { node_options: '--require /x' } } }],
    ];
    for (const [why, distribution] of refused) {
      const parsed = parse(entry(distribution));
      assert.deepEqual([parsed?.leftOut.map((one) => one.why), only(parsed)?.ways], [[why], []], JSON.stringify(distribution));
    }
  });

  it('has texts of one line, in which nothing is hidden', () => {
    const binary = { 'linux-x86_64': { archive: 'https://example.com/\nmine\u202e.zip', cmd: './mine' } };
    const texts = { name: 'Mi\u202ene', description: `Good\nSHA-256: ok\u200b ${'x'.repeat(1_000)}`, license: 'M\u2066IT' };
    const parsed = only(parse(entry({ binary }, { ...texts, website: 'https://example.com/\r\n\u202e' })));
    const [way] = parsed?.ways ?? [];
    assert.deepEqual(
      [parsed?.name, parsed?.license, parsed?.website, way?.type === 'binary' && way.url],
      ['Mi<U+202E>ne', 'M<U+2066>IT', 'https://example.com/%E2%80%AE', 'https://example.com/mine%E2%80%AE.zip'],
    );
    assert.match(parsed?.description ?? '', /^Good SHA-256: ok<U\+200B> x{400,500}$/);
  });

  it('does not have a name of a known agent, unless it is that agent', () => {
    const distribution = { npx: { package: 'mine@1.2.3' } };
    const names = ['agentao', 'pi', 'demo', 'claude-agent-acp', 'claude-code-acp', 'gemini-cli'];
    assert.deepEqual(
      parse(...names.map((id) => entry(distribution, { id })))?.leftOut.map(({ id, why }) => [id, why]),
      names.map((id) => [id, 'known_id']),
    );
    const itself = ['claude-acp', 'codex-acp', 'opencode', 'pi-acp', 'gemini'];
    assert.deepEqual(
      parse(...itself.map((id) => entry(distribution, { id })))?.entries.map(({ id }) => id),
      itself,
    );
  });

  it('for Windows may have the separators of Windows in its path, and nowhere else', () => {
    const binary = { 'windows-x86_64': { archive, cmd: './bin\\mine.exe' }, 'linux-x86_64': { archive, cmd: './bin\\mine' } };
    const windows = only(parseRegistry({ agents: [entry({ binary })] }, { platform: 'win32', arch: 'x64' }));
    const programs = windows?.ways.map((way) => way.type === 'binary' && way.program);
    assert.deepEqual([programs, only(parse(entry({ binary })))?.ways], [['./bin/mine.exe'], []]);
  });

  it('may be on this machine only if the list is', () => {
    const agents = [entry({ binary: { 'linux-x86_64': { archive: 'http://127.0.0.1:8080/x.zip', cmd: 'mine' } } })];
    const waysFrom = (source: string) => parseRegistry({ agents }, linux, source)?.entries[0]?.ways.length;
    assert.deepEqual(['http://localhost/registry.json', 'https://example.com/registry.json'].map(waysFrom), [1, 0]);
  });

  it('may set no variable that decides which code runs, in any case of letters', () => {
    const plumbing = fc.constantFrom(
      'PATH',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'DYLD_INSERT_LIBRARIES',
      'PYTHONPATH',
      'HOME',
      'npm_config_x',
      'XDG_X',
      'BUN_CONFIG_X',
      'DOTNET_STARTUP_HOOKS',
      'OPENSSL_CONF',
      'GIT_EXEC_PATH',
      'NO_PROXY',
      'CURL_CA_BUNDLE',
      'EDITOR',
      'JAVA_HOME',
    );
    fc.assert(
      fc.property(plumbing, fc.boolean(), (name, isLower) => plumbingVariables([isLower ? name.toLowerCase() : name]).length === 1),
    );
    assert.deepEqual(plumbingVariables(['A=B', '', 'BASH_FUNC_x%%']), ['A=B', '', 'BASH_FUNC_x%%']);
    assert.deepEqual(plumbingVariables(['AUGMENT_DISABLE_AUTO_UPDATE', 'FAST_AGENT_MODEL', 'VT_ACP_ENABLED']), []);
  });
});
