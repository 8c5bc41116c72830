/** An engine in a process of its own: how a front end finds or starts it. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { parseJson } from '../base/parseJson.js';
import { connectToEngine } from '../link/connect.js';
import type { Hello } from '../link/greeting.js';
import { type EngineProgram, findNode, launchEngine } from '../link/launchEngine.js';
import type { Wire } from '../link/wire.js';
import { linkVersion } from './contract.js';

export interface EngineArguments {
  /** Absolute. */
  readonly stateFolder: string;
  /** Of ACP Host. */
  readonly version: string;
  readonly limits?: { readonly perSessionBytes?: number | undefined; readonly totalBytes?: number | undefined } | undefined;
}

const schema: z.ZodMiniType<EngineArguments> = z.object({
  stateFolder: z.string(),
  version: z.string(),
  limits: z.optional(z.object({ perSessionBytes: z.optional(z.number()), totalBytes: z.optional(z.number()) })),
});

/** @returns undefined for anything else */
export function parseEngineArguments(text: string | undefined): EngineArguments | undefined {
  const parsed = schema.safeParse(text === undefined ? undefined : parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

export interface EngineProcessOptions extends EngineArguments {
  readonly program: Hello['program'];
  /** Where to look for Node. */
  readonly env: NodeJS.ProcessEnv;
  /** If false, no engine is started. */
  readonly mayStart?: boolean;
  readonly signal?: AbortSignal;
}

/** How long an engine may take to start on a busy machine. */
const startMs = 30_000;

/**
 * Connects to the engine of a state folder, and starts it if there is none.
 * @returns undefined if there is none and it may not start @throws HostError as connectToEngine
 */
export function connectToEngineProcess({
  program,
  env,
  mayStart = true,
  signal,
  ...args
}: EngineProcessOptions): Promise<Wire | undefined> {
  return connectToEngine({
    stateFolder: args.stateFolder,
    hello: { version: args.version, linkVersion, program, pid: process.pid },
    ...(mayStart && { launch: async () => launchEngine({ program: await programFor(args, env), timeoutMs: startMs }) }),
    ...(signal && { signal }),
  });
}

/**
 * What the engine needs of our environment: where the system, its programs, libraries and certificates are. The environment of an agent is
 * that of the front end that opens its conversation; keys have no place here.
 */
const needed =
  /^(?:PATH|PATHEXT|SystemRoot|windir|TE?MP|TMPDIR|HOME|USERPROFILE|USERNAME|USER|LOGNAME|LANG|LC_.*|TZ|XDG_RUNTIME_DIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|ACP_HOST_(?!.*KEY).*)$/i;

/** In a package, the program is beside the bundle with this code; from source, both run through tsx. */
async function programFor(args: EngineArguments, env: NodeJS.ProcessEnv): Promise<EngineProgram> {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? './engineMain.ts' : './engine.cjs', import.meta.url));
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  const node = await findNode(env, process.execPath, process.versions['electron'] !== undefined);
  return {
    file: node.file,
    args: [...loader, script, JSON.stringify(args)],
    // The root folder, because a process keeps its folder from being removed.
    cwd: path.parse(node.file).root,
    env: { ...Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name))), ...node.env },
  };
}
