/** An engine in this process with front ends, which start the obedient agent. */
import path from 'node:path';
import type { TestContext } from 'node:test';
import {
  type ConversationCommand,
  Engine,
  EngineClient,
  type EngineOptions,
  type FrontEndIdentity,
  type FrontEndServices,
  isSettled,
} from '../../../src/core/index.js';
import { reached, run, text } from '../conversation/frontEnd.js';
import type { StoreLab } from './storeLab.js';

export interface EngineLab {
  readonly engine: Engine;
  readonly client: EngineClient;
  /** Another front end. @param services what it does besides choosing the agent */
  attach(program?: FrontEndIdentity['program'], services?: FrontEndServices): Promise<EngineClient>;
  /** Resolves when the engine has nothing left to do. */
  readonly idle: Promise<void>;
  /** Ends the engine in order. */
  end(): Promise<void>;
}

export const send = (words: string): ConversationCommand => ({ type: 'send', content: text(words) });

/** @param env of the agent @param keepAliveMs how long the idle engine stays @param script the agent */
export async function openEngine(
  t: TestContext,
  stateFolder: string,
  env: Readonly<Record<string, string>> = {},
  keepAliveMs = 60_000,
  script = 'obedient.mjs',
  options: Pick<EngineOptions, 'lateWorkMs'> = {},
): Promise<EngineLab> {
  let onIdle = (): void => {};
  const idle = new Promise<void>((resolve) => (onIdle = resolve));
  const engine = new Engine({ ...options, stateFolder, version: '0', location: 'process', onIdle });
  await engine.load();
  const definition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [path.resolve(import.meta.dirname, '../../agents', script)],
    env,
    protocol: 'acp',
  };
  const clients: EngineClient[] = [];
  const attach: EngineLab['attach'] = async (program = 'terminal', services = {}) => {
    const client = new EngineClient({
      connect: () => Promise.resolve(engine.connect()),
      attaching: { program, use: 'share', keepAliveMs },
      services: {
        peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback: false }),
        choose_agent: () =>
          Promise.resolve({
            definition,
            isFallback: false,
            baseEnv: process.env,
            clientInfo: { name: 't', title: 'T', version: '0' },
            optionDefaults: [],
          }),
        ...services,
      },
    });
    clients.push(client);
    await client.connected();
    return client;
  };
  const end = async (): Promise<void> => {
    for (const client of clients) client.dispose();
    await engine.close();
  };
  t.after(end);
  return { engine, client: await attach(), attach, idle, end };
}

/** A conversation in which one message was sent, and which is closed. */
export async function openWithClosed(
  t: TestContext,
  lab: StoreLab,
): Promise<EngineLab & { readonly one: { readonly cwd: string; readonly id: string } }> {
  const opened = await openEngine(t, lab.state);
  const { client } = opened;
  const one = { cwd: lab.workspace, id: 'one' };
  const first = client.open(one);
  await run(first, send('say one'));
  await reached(first, isSettled);
  await client.end('one');
  return { ...opened, one };
}
