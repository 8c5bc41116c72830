import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Disposable } from '../../../src/core/base/disposable.js';
import { HostError, type HostErrorCode } from '../../../src/core/base/errors.js';
import { type ConnectOptions, connectToEngine } from '../../../src/core/link/connect.js';
import { type PublishedEngine, writeEngineFacts } from '../../../src/core/link/engineFile.js';
import { type EngineProgram, type LaunchedEngine, launchEngine } from '../../../src/core/link/launchEngine.js';
import type { Wire } from '../../../src/core/link/wire.js';
import { goneWithin, identifyProcess, type ProcessIdentity, signalAll } from '../../../src/core/node/processTree.js';
import { typescriptProgram } from '../../typescriptProgram.js';

export const hello = { version: '1.0.0', linkVersion: 1, program: 'terminal', pid: process.pid } as const;

export interface LinkLab {
  readonly root: string;
  readonly state: string;
  /** The path of engine.json. */
  readonly file: string;
  program(version?: string, linkVersion?: number, before?: readonly string[]): EngineProgram;
  launch(version?: string, linkVersion?: number): Promise<LaunchedEngine>;
  /** Starts an engine of the same version if there is none; ends the wire with the test. */
  connect(options?: Partial<ConnectOptions>): Promise<Wire>;
  /** Writes the file of an engine that never ran, with other facts. */
  writeFacts(facts?: Partial<PublishedEngine>): Promise<string>;
  /** Disposes of it before the folder is removed, in which an engine that listens writes again. */
  owns(one: Disposable): void;
  readFacts(): Promise<PublishedEngine>;
}

/** A state folder. Ends every engine that it started. @param envIn says where these put their sockets: a killed engine leaves its own */
export async function openLinkLab(
  t: TestContext,
  folder = 'state',
  envIn: (root: string) => NodeJS.ProcessEnv = (root) => ({ XDG_RUNTIME_DIR: root }),
): Promise<LinkLab> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-link-')));
  const state = path.join(root, folder);
  const file = path.join(state, 'engine.json');
  const launched: (ProcessIdentity | undefined)[] = [];
  const owned: Disposable[] = [];
  t.after(async () => {
    for (const one of owned) one.dispose();
    const engines = launched.filter((one) => one !== undefined);
    await signalAll(engines, 'SIGKILL');
    await goneWithin(engines, 10_000);
    await rm(root, { recursive: true });
  });
  const lab: LinkLab = {
    root,
    state,
    file,
    program: (version = hello.version, linkVersion = hello.linkVersion) => ({
      file: process.execPath,
      args: [...typescriptProgram(path.join(import.meta.dirname, 'engineProgram.ts')), state, version, String(linkVersion)],
      env: { ...process.env, ...envIn(root) },
      cwd: root,
    }),
    async launch(version, linkVersion) {
      const engine = await launchEngine({ program: lab.program(version, linkVersion), timeoutMs: 60_000 });
      if (engine.outcome === 'ready') launched.push(await identifyProcess(engine.pid));
      return engine;
    },
    async connect(options = {}) {
      const launch = (): Promise<LaunchedEngine> => lab.launch(options.hello?.version, options.hello?.linkVersion);
      const wire = await connectToEngine({ stateFolder: state, hello, launch, ...options });
      assert.ok(wire !== undefined);
      owned.push(wire);
      return wire;
    },
    async writeFacts(facts = {}) {
      const neverRan = { linkVersion: 1, productVersion: '1.0.0', pid: process.pid, host: hostname(), address: path.join(root, 'none') };
      const text = writeEngineFacts({ ...neverRan, token: 'secret-token', ...facts });
      await mkdir(state, { recursive: true });
      await writeFile(file, text, { mode: 0o600 });
      return text;
    },
    owns: (one) => void owned.push(one),
    readFacts: async () => JSON.parse(await readFile(file, 'utf8')) as PublishedEngine,
  };
  return lab;
}

export const pidOf = async (wire: Wire): Promise<number> => ((await wire.call('who', undefined)) as { pid: number }).pid;

/** Asserts that it fails so, and returns the error. */
export async function failsWith(promise: Promise<unknown>, code: HostErrorCode, reason?: string): Promise<HostError> {
  const error: unknown = await promise.then(
    (value) => assert.fail(`resolved with ${String(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HostError, String(error));
  assert.deepEqual([error.code, error.params.reason], [code, reason], JSON.stringify(error.toData()));
  return error;
}
