/** The contents of the package after the last build. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod/mini';
import { withoutMissingImages } from '../../scripts/package.mjs';
import { run, runNpm } from '../../scripts/processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

let listing: Promise<readonly string[]> | undefined;
const packedFiles = (): Promise<readonly string[]> => (listing ??= listPacked());

async function listPacked(): Promise<readonly string[]> {
  const [{ files }] = packed.parse(JSON.parse(await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })));
  return files.map((file) => file.path);
}

/** Copies the project without its build output. */
async function unbuiltProject(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-unbuilt-'));
  t.after(() => rm(folder, { recursive: true }));
  const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  const written = files.filter((file) => !file.startsWith('dist/'));
  const sources = ['src', 'package.json', 'README.md', 'LICENSE', 'esbuild.mjs', 'tsconfig.base.json'];
  for (const file of [...written, ...sources]) await cp(path.join(root, file), path.join(folder, file), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

/** The programs of docs/library.md. */
async function documentedPrograms(): Promise<readonly string[]> {
  const docs = await readFile(path.join(root, 'docs/library.md'), 'utf8');
  return [...docs.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, program = '']) => program);
}

/** The names in the prose of docs/library.md that no declaration in this folder has. */
async function undeclaredNames(types: string): Promise<readonly string[]> {
  const prose = (await readFile(path.join(root, 'docs/library.md'), 'utf8')).replaceAll(/^```js\n[\s\S]*?^```$/gm, '');
  const names = new Set([...prose.matchAll(/`(?:\w+\.)?([a-z]+[A-Z]\w*|[A-Z][a-z]\w*)[`(]/g)].map(([, name = '']) => name));
  assert.ok(names.size >= 10, [...names].join(', '));
  const files = (await readdir(types, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  const declared = (await Promise.all(files.map((file) => readFile(path.join(types, file), 'utf8')))).join('\n');
  return [...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(declared));
}

/** A project that has installed what was packed, and nothing else but the types of Node. */
async function projectWith(t: TestContext, built: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-consumer-'));
  t.after(() => rm(folder, { recursive: true }));
  const modules = path.join(folder, 'node_modules');
  for (const file of ['dist', 'package.json']) await cp(path.join(built, file), path.join(modules, 'acp-host', file), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    await cp(path.join(root, 'node_modules', name), path.join(modules, name), { recursive: true });
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'], skipLibCheck: false };
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts', 'engine.ts', 'protocol.ts', 'saving.ts'] }),
  );
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    path.join(folder, 'protocol.ts'),
    `import { addProtocol, type ConnectAgent, type FrameDescriber } from 'acp-host';
const connect: ConnectAgent = ({ agent }) => Promise.reject(new Error(agent.command));
export const add = (frames: FrameDescriber): void => addProtocol('mine', { peer: 'process', connect, frames });
`,
  );
  // What docs/library.md says of saving.
  await writeFile(
    path.join(folder, 'saving.ts'),
    `import { type AgentHost, createJournalStore, nullLogger, readConversation, Redactor, type Session } from 'acp-host';
const store = createJournalStore({ directory: '/saved', redactor: new Redactor(), log: nullLogger });
export async function resume(host: AgentHost): Promise<Session> {
  const known = (await readConversation(store, 'mine')).at(-1);
  if (known === undefined) return host.newSession({ journal: (session, isNew) => store.open('mine', session, isNew) });
  return host.loadSession(known.sessionId, known, { journal: (session, isNew) => store.open('mine', session, isNew) });
}
`,
  );
  const [program = '', engine = '', ...others] = await documentedPrograms();
  assert.deepEqual(others, []);
  for (const type of ['ts', 'js']) {
    await writeFile(path.join(folder, `program.${type}`), program);
    await writeFile(path.join(folder, `engine.${type}`), engine);
  }
  return folder;
}

const imagesIn = (markdown: string): readonly (readonly [alt: string, file: string])[] =>
  [...markdown.matchAll(/!\[([^\]]*)\]\(([^)]*)\)|<img/g)].map(([, alt = '', file = '']) => [alt, file]);

const metafile = z.object({ outputs: z.record(z.string(), z.unknown()) });

test('every program is in the package, and nothing of an earlier build', async () => {
  const programs = (await packedFiles()).filter((file) => /^dist\/[^/]+\.[cm]?js$/.test(file));
  const { outputs } = metafile.parse(JSON.parse(await readFile(path.join(root, 'out/meta/cli.json'), 'utf8')));
  const partsOfCli = Object.keys(outputs).filter((file) => file.endsWith('.js'));
  assert.deepEqual(programs.sort(), [
    ...partsOfCli.sort(),
    'dist/demo-agent.js',
    'dist/engine.mjs',
    'dist/extension.cjs',
    'dist/host.cjs',
    'dist/index.js',
    'dist/watchdog.cjs',
  ]);
});

test('the package has nothing that only development needs', async () => {
  const tops = new Set((await packedFiles()).map((file) => file.split('/')[0]));
  const users = ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'dist', 'docs', 'media', 'package.json'];
  assert.deepEqual([...tops].sort(), users);
});

test('packing builds everything that the manifest refers to, and a program compiles and runs with nothing else', {
  timeout: 300_000,
}, async (t) => {
  const cwd = await unbuiltProject(t);
  const [{ files }] = packed.parse(JSON.parse(await runNpm(['pack', '--dry-run', '--json', '--foreground-scripts=false'], { cwd })));
  const names = new Set(files.map((file) => `./${file.path}`));
  const { main, bin, exports } = z
    .object({ main: z.string(), bin: z.record(z.string(), z.string()), exports: z.object({ '.': z.record(z.string(), z.string()) }) })
    .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  for (const file of [main, ...Object.values(bin), ...Object.values(exports['.'])]) assert.ok(names.has(file), file);
  assert.deepEqual(await undeclaredNames(path.join(cwd, 'dist/types')), []);
  const consumer = await projectWith(t, cwd);
  await run(process.execPath, [path.join(root, 'node_modules/native-typescript/bin/tsc'), '-p', '.'], { cwd: consumer });
  const inModules = (name: string): string => path.join(consumer, 'node_modules', name);
  const env = { ...process.env, ACP_HOST_DEMO_STATE: inModules('demo-state'), ACP_HOST_STATE: inModules('state') };
  assert.match(await run(process.execPath, ['program.js'], { cwd: consumer, env }), /them\.\n\n`\.` holds 9 entries:.*`program\.js`/s);
  assert.match(await run(process.execPath, ['engine.js'], { cwd: consumer, env }), /^ended\n[-0-9a-f]{36} list\n$/);
});

test('no program contains a zod locale other than English', async () => {
  for (const name of ['cli', 'demo-agent', 'host', 'library']) {
    const text = await readFile(path.join(root, `out/meta/${name}.json`), 'utf8');
    assert.match(text, /zod\/v4\/core\/schemas\.js":\{"bytesInOutput":[1-9]/, name);
    assert.doesNotMatch(text, /zod\/v4\/locales\/(?!en\.|index\.)[\w-]+\.js":\{"bytesInOutput":[1-9]/, name);
  }
});

test('the images in README.md are small, have an alternative text, and are left out of the package and its README.md', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const packedNames = new Set(await packedFiles());
  const images = imagesIn(readme);
  assert.notEqual(images.length, 0);
  for (const [alt, file] of images) {
    assert.ok(alt.length > 40, file);
    assert.ok((await stat(path.join(root, file))).size < 150_000, file);
    assert.equal(packedNames.has(file), false, file);
  }
  const shown = withoutMissingImages(readme, packedNames);
  assert.deepEqual(imagesIn(shown), []);
  assert.equal(shown.replaceAll(/\s+/g, ' ').length, readme.replaceAll(/!\[[^\]]*\]\([^)]*\)\n/g, '').replaceAll(/\s+/g, ' ').length);
  const packedImage = '![A picture that is in the package](media/icon.svg)\n\n';
  assert.equal(withoutMissingImages(packedImage, packedNames), packedImage);
});

test('the built watchdog starts on its own, and exits when its stdin closes', { timeout: 30_000 }, async (t) => {
  const watchdog = spawn(process.execPath, [path.join(root, 'dist/watchdog.cjs')], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  });
  t.after(() => watchdog.kill('SIGKILL'));
  watchdog.stdin.end();
  assert.deepEqual(await once(watchdog, 'exit'), [0, null]);
});
