/**
 * Checks the structure that src/README.md describes: which room may import which, which power has one home, and that the tree is in order.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, test } from 'node:test';
import * as z from 'zod/mini';
import { knownAgents } from '../src/core/agents/knownAgents.js';
import { misplaced, powers } from './tidyPowers.js';
import { proseIn } from './tidyProse.js';
import { parseSource, read, root, type SourceFile, sources, tracked } from './tidySource.js';

interface Room {
  /** Other rooms; `core` is core/index.ts. */
  readonly imports: readonly string[];
  /** Rooms from which only types are imported. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
}
const rooms = JSON.parse(read('src/rooms.json')) as Readonly<Record<string, Room>>;

/** Folders whose subfolders are rooms. The files directly in such a folder are another room, which composes the others. */
const divided = new Set(['core', ...Object.keys(rooms).flatMap((name) => (name.includes('/') ? name.split('/').slice(0, 1) : []))]);

/** `core/rpc` for src/core/rpc/x.ts, `core` for src/core/index.ts, `extension` for src/extension/compose.ts, `contract` for src/contract/x.ts. */
function roomOf(file: string): string {
  const [, top = '', second = ''] = file.split('/');
  return divided.has(top) && !second.includes('.') ? `${top}/${second}` : top;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function crossedWalls(file: SourceFile, name: string, room: Room): readonly string[] {
  return file.imports.flatMap(({ specifier, typeOnly }) => {
    if (specifier.startsWith('node:')) return [];
    if (!specifier.startsWith('.')) {
      const typesOfTheProtocol = name === 'core/backends' && typeOnly && specifier === '@agentclientprotocol/sdk';
      return typesOfTheProtocol || room.packages.includes(packageOf(specifier)) ? [] : [`${file.path} imports the package ${specifier}`];
    }
    const target = path.posix.join(path.posix.dirname(file.path), specifier);
    const other = roomOf(target);
    const allowed = other === name || room.imports.includes(other) || (typeOnly && room.types?.includes(other) === true);
    return allowed ? [] : [`${file.path} imports ${typeOnly ? 'a type' : 'something'} of ${other}: ${specifier}`];
  });
}

describe('the import table of src/rooms.json', () => {
  for (const [name, room] of Object.entries(rooms)) {
    test(`${name} has only the imports that it lists`, () => {
      const files = sources.filter((file) => roomOf(file.path) === name);
      assert.notEqual(files.length, 0, `src/${name} has no sources; the table lists a room that does not exist`);
      assert.deepEqual(
        files.flatMap((file) => crossedWalls(file, name, room)),
        [],
      );
    });
  }

  test('an import that the table does not allow is detected', () => {
    const crossings = (path: string, specifier: string, typeOnly = false): number => {
      const room = rooms[roomOf(path)];
      assert.ok(room !== undefined, path);
      return crossedWalls({ path, imports: [{ specifier, typeOnly }], names: new Set(), literals: [], holes: [] }, roomOf(path), room)
        .length;
    };
    assert.equal(crossings('src/extension/pages/x.ts', '../../core/index.js'), 0);
    assert.equal(crossings('src/extension/pages/x.ts', '../../core/session/reduce.js'), 1);
    assert.equal(crossings('src/extension/pages/x.ts', '../chat/chatSource.js'), 1);
    assert.equal(crossings('src/extension/window/x.ts', '../compose.js', true), 1);
    assert.equal(crossings('src/webview/page.tsx', './transcript/transcript.js'), 0);
    assert.equal(crossings('src/webview/base/x.ts', '../transcript/transcript.js', true), 1);
    assert.equal(crossings('src/webview/base/x.ts', 'vscode'), 1);
  });

  test('each listed package is used by its room', () => {
    const unused = Object.entries(rooms).flatMap(([name, { packages }]) => {
      const used = new Set(
        sources.filter((file) => roomOf(file.path) === name).flatMap((file) => file.imports.map(({ specifier }) => packageOf(specifier))),
      );
      return packages.filter((one) => !used.has(one)).map((one) => `${name} does not use ${one}`);
    });
    assert.deepEqual(unused, []);
  });

  test('every room is listed', () => {
    const found = new Set(sources.map((file) => roomOf(file.path)));
    assert.deepEqual(
      [...found].filter((name) => rooms[name] === undefined && name !== 'core'),
      [],
    );
  });

  test('each listed room is used by the room that lists it', () => {
    const unused = Object.entries(rooms).flatMap(([name, { imports, types = [] }]) => {
      const used = new Set(
        sources
          .filter((file) => roomOf(file.path) === name)
          .flatMap((file) => file.imports.map(({ specifier }) => roomOf(path.posix.join(path.posix.dirname(file.path), specifier)))),
      );
      return [...imports, ...types].filter((other) => !used.has(other)).map((other) => `${name} does not use ${other}`);
    });
    assert.deepEqual(
      // Rooms of the core may list rooms that they do not use yet.
      unused.filter((line) => !line.startsWith('core/')),
      [],
    );
  });

  test('the imports have no cycle', () => {
    const reaches = (from: string, seen: ReadonlySet<string>): boolean => {
      const { imports = [], types = [] } = rooms[from] ?? {};
      return [...imports, ...types].some((next) => seen.has(next) || reaches(next, new Set([...seen, next])));
    };
    assert.deepEqual(
      Object.keys(rooms).filter((name) => reaches(name, new Set([name]))),
      [],
    );
  });

  test('no file leads back to itself, not even through types', () => {
    const next = new Map(
      sources.map(({ path: from, imports }) => [
        from,
        imports.flatMap(({ specifier }) =>
          specifier.startsWith('.') ? [path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts')] : [],
        ),
      ]),
    );
    const [open, done] = [new Set<string>(), new Set<string>()];
    const cycles: string[] = [];
    const follow = (file: string): void => {
      if (open.has(file)) cycles.push([...open, file].slice([...open].indexOf(file)).join(' → '));
      if (open.has(file) || done.has(file)) return;
      open.add(file);
      for (const imported of next.get(file) ?? next.get(`${file}x`) ?? []) follow(imported);
      open.delete(file);
      done.add(file);
    };
    for (const file of next.keys()) follow(file);
    assert.ok([...next.values()].flat().some((file) => next.has(file)));
    assert.deepEqual(cycles, []);
  });

  test('src/README.md shows the same table', () => {
    const shown = [...read('src/README.md').matchAll(/^\| `([^`]+)` \| .* \| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, name, imports, packages]) => [name, imports, packages],
    );
    const list = (names: readonly string[]): string => names.join(', ') || '–';
    const data = Object.entries(rooms).map(([name, { imports, types = [], packages }]) => {
      const own = `${name.split('/')[0]}/`;
      const others = [...imports, ...types.map((type) => `${type} (types)`)].map((other) => other.replace(own, ''));
      return [name, list(others), list(packages)];
    });
    assert.deepEqual(shown, data);
  });
});

/** Returns the identifiers and texts that contain the name of an agent as a word, such as `agentaoPath`. Comments are ignored. */
function agentNames({ path: file, names, literals }: SourceFile): readonly string[] {
  const known = new Set(knownAgents.map(({ id }) => id.toLowerCase()));
  const words = (text: string): readonly string[] => text.split(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/).map((word) => word.toLowerCase());
  return [...names, ...literals].filter((text) => words(text).some((word) => known.has(word))).map((text) => `${file}: ${text}`);
}

describe("agents' names", () => {
  test('they occur only in core/agents, in the demo agent, and in protocols that only one program speaks', () => {
    // Such a protocol has the name of the program.
    const others = sources.filter(
      (file) => !/^src\/(core\/agents\/|core\/backends\/pi\/|core\/backends\/protocols\.ts$|demo-agent\/)/.test(file.path),
    );
    assert.deepEqual(others.flatMap(agentNames), []);
  });

  test('they are found in identifiers, texts, templates, markup and patterns', () => {
    const bad = [
      "const isKnown = id === 'agentao';",
      'const agentaoPath = 1;',
      'function AgentaoSettings() {}',
      'const DEMO_AGENT = 1;',
      'const text = `Install ${name} for Agentao, ${version}`;',
      "const method = '_agentao.cn/ask_user';",
      'const view = <b>Try the demo agent</b>;',
      "settings['agentao.path'];",
      'const pattern = /^agentao\\b/;',
      'class Settings { #agentao = 1; }',
    ];
    for (const line of bad) assert.equal(agentNames(parseSource('src/core/host/bad.tsx', line)).length, 1, line);
  });

  test('they are allowed in comments, and not found in longer words', () => {
    const good = ['/** As agentao does. */ const done = 1;', '// the demo agent', "const text = 'agent, demonstration, agentaoist';"];
    for (const line of good) assert.deepEqual(agentNames(parseSource('src/core/host/good.ts', line)), [], line);
  });
});

/** Files of the core that may contain sentences, and whom the sentences are for. */
const proseOfOthers: Readonly<Record<string, string>> = {
  'src/core/conversation/context.ts': 'an agent reads it',
  'src/core/agents/agentao/agentaoQuirks.ts': "the agent's own words",
  'src/core/backends/growingOutput.ts': "marks in an agent's text where it is cut",
  'src/core/backends/acp/schema/content.ts': "marks in an agent's text what cannot be read",
  'src/core/backends/agentService/ideServices.ts': 'the service reads it',
  'src/core/backends/pi/hostTools.ts': 'a model reads it',
  'src/core/base/cutJson.ts': 'marks in traffic where it is cut',
};

describe('sentences for people', () => {
  const core = sources.filter((file) => file.path.startsWith('src/core/'));

  test('the core has none, because it uses codes', () => {
    const files = core.filter((file) => !Object.hasOwn(proseOfOthers, file.path));
    assert.deepEqual(
      files.flatMap((file) => proseIn(file.path, read(file.path))),
      [],
    );
  });

  test('each file that may contain other sentences has some', () => {
    assert.deepEqual(
      Object.keys(proseOfOthers).filter((file) => proseIn(file, read(file)).length === 0),
      [],
    );
  });

  test('they are found in strings, templates and tables', () => {
    const bad = [
      "throw new HostError('usage', { detail: 'There is no such agent' });",
      "const title = 'Some settings could not be restored';",
      'const text = `${label} was stopped by you.`;',
      'const text = `The agent ${how} in ${folder}`;',
      "const table = { deadline: 'nobody answered in time.' };",
      "onRemoved('One old conversation was removed');",
      "catalog.warn('The disk is full now');",
    ];
    for (const line of bad) assert.equal(proseIn('src/core/host/bad.ts', line).length, 1, line);
  });

  test('they are allowed in logs, comments and internal errors, and other texts are not mistaken for them', () => {
    const good = [
      "this.#parts.log.warn('Could not close a session in the agent', error);",
      'options.log?.info(`The agent of ${folder} was started again`);',
      '/** The agent does not say so. */ const done = 1;',
      "throw new Error('A session was opened and never begun');",
      "throw new RpcError(code, 'A question needs a sessionId');",
      "const code = 'agent_not_found';",
      "const example = 'uv tool install agentao';",
      'const line = `${name} ${version}`;',
    ];
    for (const line of good) assert.deepEqual(proseIn('src/core/host/good.ts', line), [], line);
  });
});

describe('powers with one home', () => {
  for (const power of powers) {
    test(`${power}: used only where it is permitted`, () => {
      assert.deepEqual(
        sources.filter((file) => misplaced(file).includes(power)).map(({ path: file }) => file),
        [],
      );
    });
  }

  test('the verification of certificates is never switched off', () => {
    const chosen = read('src/core/transport/serverSocket.ts').match(/rejectUnauthorized.*?(?=[,}])/g);
    assert.deepEqual(chosen, ['rejectUnauthorized: true ']);
  });

  test('a use elsewhere is detected, even under another name', () => {
    const bad = [
      'void vscode.window.showErrorMessage(text);',
      'const { showInformationMessage: show } = vscode.window;',
      "vscode.window['showWarningMessage'](text);",
      'await vscode.window.withProgress({ location, title }, work);',
      'await vscode.window.showInputBox({ prompt });',
    ];
    for (const line of bad) assert.deepEqual(misplaced(parseSource('src/extension/status/bad.ts', line)), ['messages of the window'], line);
  });
});

describe('the tree', () => {
  const written = tracked.filter(
    (file) => /\.(ts|tsx|js|mjs|css|json|md|html|svg)$|^\.ci\//.test(file) && !/package-lock\.json$|^test\/(fixtures|golden)\//.test(file),
  );

  test('no code file is longer than its limit of lines', () => {
    const limitOf = (file: string): number => {
      // A protocol must stay easy to add, and the parrot is the measure of it.
      return file === 'test/backends/parrot.ts' ? 200 : 450;
    };
    const code = written.filter((file) => /\.(ts|tsx|js|mjs)$/.test(file));
    assert.deepEqual(
      code.map((file) => ({ file, lines: read(file).split('\n').length - 1 })).filter(({ file, lines }) => lines > limitOf(file)),
      [],
    );
  });

  test('no file contains a path of a particular machine', () => {
    // Tests use `/home/me` as an example.
    const machine = /(?<![\w}])\/(?:(?:work|root|(?:home|Users)\/(?!me\b)[a-z]+)\/|tmp\/[A-Za-z])/;
    assert.deepEqual(linesWith(written, machine), []);
  });

  test('no comment promises later work', () => {
    const promise = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`);
    assert.deepEqual(
      linesWith(
        written.filter((file) => /\.(ts|tsx|js|mjs|css)$/.test(file)),
        promise,
      ),
      [],
    );
  });

  test('the sources avoid `any`, casts through `unknown`, and directives that disable type checks', () => {
    assert.deepEqual(
      sources.flatMap((file) => file.holes.map((line) => `${file.path}:${line}`)),
      [],
    );
    assert.deepEqual(
      linesWith(
        written.filter((file) => /^test\/.*\.ts$/.test(file)),
        /\bas unknown\s+as\b/,
      ),
      [],
    );
    assert.deepEqual(
      linesWith(
        sources.map((file) => file.path),
        /@ts-(?:ignore|nocheck|expect-error)/,
      ),
      [],
    );
  });

  test('no test is focused or switched off', () => {
    const off = /\b(?:it|test|describe|suite)\.(?:only|skip|todo)\(|\b(?:only|todo): true/;
    assert.deepEqual(
      linesWith(
        written.filter((file) => file.endsWith('.test.ts')),
        off,
      ),
      [],
    );
  });
});

describe('the package', () => {
  const manifest = z
    .object({
      engines: z.object({ node: z.string(), vscode: z.string() }),
      dependencies: z.optional(z.record(z.string(), z.string())),
      devDependencies: z.record(z.string(), z.string()),
    })
    .parse(JSON.parse(read('package.json')));
  const installed = (name: string): string =>
    z.object({ version: z.string() }).parse(JSON.parse(read(`node_modules/${name}/package.json`))).version;

  test('it is compiled against the oldest supported versions of VS Code and Node', () => {
    assert.equal(manifest.engines.vscode, `^${installed('@types/vscode')}`);
    assert.equal(manifest.engines.node, `>=${installed('@types/node').split('.')[0]}`);
    assert.match(read('esbuild.mjs'), new RegExp(`target: 'node${manifest.engines.node.slice(2)}'`));
  });

  test('it has no runtime dependencies outside of its bundles', () => {
    assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
  });

  test('THIRD-PARTY-NOTICES is up to date, and all bundled licenses are compatible', () => {
    const current = execFileSync(process.execPath, ['scripts/notices.mjs', '--print'], { cwd: root, encoding: 'utf8' });
    assert.equal(read('THIRD-PARTY-NOTICES'), current, 'THIRD-PARTY-NOTICES is outdated. After a build, run node scripts/notices.mjs.');
  });
});

function linesWith(files: readonly string[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}
