/** Two ACP agents in front of the same Pi: `acp-host serve`, and pi-acp from npm. Each has its own home, folder and model. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { cliProgram } from '../cli/programs.js';
import { connectSdkClient, type SdkClient } from '../serve/sdkClient.js';
import { launchPi, type Pi } from './pi.js';
import { writeAll } from './launch.js';

const variable = 'ACP_HOST_TEST_PI_ACP';
const why = `pi-acp 0.0.34 is not installed for tests: set ${variable} to its executable, as .ci/run does`;

/** For the `skip` of a suite. With `CI=true` nothing is skipped, and the start fails with the same message. */
export function missingPiAcp(): string | false {
  return process.env[variable] !== undefined || process.env['CI'] === 'true' ? false : why;
}

/** pi-acp needs this version or a newer one. */
const version = 'pi 1.6.0';

export interface Served {
  readonly pi: Pi;
  /** Starts the agent once more, in the same home and folder. */
  connect(): SdkClient;
}

export async function serveOurs(t: TestContext, args: readonly string[] = []): Promise<Served> {
  const pi = await inRooms(t, args);
  const command = [pi.agent.command, ...pi.agent.args].map((word) => `"${word}"`).join(' ');
  const ours = [cliProgram, 'serve', '--protocol', 'pi', '--command', command];
  return { pi, connect: () => connectSdkClient(t, { command: process.execPath, args: ours, cwd: pi.rooms.cwd, env: pi.env }) };
}

export async function serveTheirs(t: TestContext, args: readonly string[] = []): Promise<Served> {
  const program = process.env[variable];
  if (program === undefined) throw new Error(why);
  const pi = await inRooms(t, args);
  // pi-acp starts Pi with its own arguments.
  const starter = path.join(pi.rooms.home, 'start-pi');
  const more = pi.agent.args.slice(2).map((word) => `'${word}'`);
  await writeFile(starter, `#!/bin/sh\nexec '${pi.agent.command}' ${more.join(' ')} "$@"\n`);
  await chmod(starter, 0o755);
  const env = { ...pi.env, PI_ACP_PI_COMMAND: starter };
  return { pi, connect: () => connectSdkClient(t, { command: process.execPath, args: [program], cwd: pi.rooms.cwd, env }) };
}

async function inRooms(t: TestContext, args: readonly string[]): Promise<Pi> {
  const pi = await launchPi(t, version, args);
  // Otherwise, pi-acp lists what Pi has available. Failed calls of the provider are retried at once.
  const settings = { quietStartup: true, retry: { enabled: true, maxRetries: 1, baseDelayMs: 10 } };
  await writeAll(pi.rooms.home, { '.pi/agent/settings.json': JSON.stringify(settings) });
  return pi;
}

/** What a client received, without the parts that differ each time. */
export interface Report {
  readonly agent: string;
  readonly thought: string;
  readonly user: string;
  readonly tools: readonly ToolReport[];
  /** The reported usage of the context. */
  readonly usage: readonly string[];
  readonly titles: readonly string[];
  readonly stopReason: string | undefined;
}

interface Diff {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

export interface ToolReport {
  readonly titles: readonly string[];
  readonly kind: string;
  readonly statuses: readonly string[];
  /** All texts of the result, from every field. */
  readonly texts: readonly string[];
  /** The diffs of the last update that has any. */
  readonly diffs: readonly Diff[];
  readonly locations: readonly { readonly path: string; readonly line?: number | null }[];
  readonly hasFailed: boolean | undefined;
}

export function reportOf(updates: readonly SessionUpdate[], pi: Pi, stopReason?: string): Report {
  const plain = JSON.parse(JSON.stringify(updates).replaceAll(pi.rooms.cwd, '/work')) as readonly SessionUpdate[];
  const said = (kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string =>
    plain.map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : '')).join('');
  return {
    agent: said('agent_message_chunk'),
    thought: said('agent_thought_chunk'),
    user: said('user_message_chunk'),
    tools: toolsIn(plain),
    usage: plain.flatMap((update) => (update.sessionUpdate === 'usage_update' ? [`${update.used} of ${update.size}`] : [])),
    titles: plain.flatMap((update) => (update.sessionUpdate === 'session_info_update' && update.title != null ? [update.title] : [])),
    stopReason,
  };
}

type ToolUpdate = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call' | 'tool_call_update' }>;

function toolsIn(updates: readonly SessionUpdate[]): readonly ToolReport[] {
  const calls = new Map<string, ToolUpdate[]>();
  for (const update of updates) {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
    calls.set(update.toolCallId, [...(calls.get(update.toolCallId) ?? []), update]);
  }
  return [...calls.values()].map(toolOf);
}

interface Terminal {
  readonly terminal_output?: { readonly data: string };
  readonly terminal_exit?: { readonly exit_code: number | null };
}

function toolOf(updates: readonly ToolUpdate[]): ToolReport {
  const content = updates.flatMap((update) => update.content ?? []);
  const metas = updates.map(({ _meta }) => _meta as Terminal | null | undefined);
  const exit = metas.findLast((meta) => meta?.terminal_exit !== undefined)?.terminal_exit?.exit_code;
  const last = updates.findLast((update) => update.content?.some(({ type }) => type === 'diff') === true)?.content ?? [];
  return {
    titles: updates.flatMap(({ title }) => title ?? []),
    kind: updates.findLast(({ kind }) => kind != null)?.kind ?? 'other',
    statuses: updates.flatMap(({ status }) => status ?? []),
    texts: [
      ...content.flatMap((part) => (part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [])),
      // pi-acp sends the output of a command in parts.
      metas.map((meta) => meta?.terminal_output?.data ?? '').join(''),
      ...updates.flatMap(({ rawOutput }) => textsIn(rawOutput)),
    ].filter((text) => text !== ''),
    diffs: last.flatMap((part) => (part.type === 'diff' ? [{ ...part, oldText: part.oldText ?? null }] : [])),
    locations: updates.flatMap(({ locations }) => locations ?? []),
    hasFailed: exit == null ? undefined : exit !== 0,
  };
}

/** Returns the texts in a result of Pi. pi-acp forwards the whole message, which also names the call and the tool. */
function textsIn(rawOutput: unknown): readonly string[] {
  if (typeof rawOutput === 'string') return [rawOutput];
  if (typeof rawOutput !== 'object' || rawOutput === null) return [];
  return Object.entries(rawOutput).flatMap(([name, value]) =>
    ['role', 'toolCallId', 'toolName', 'type'].includes(name) ? [] : textsIn(value),
  );
}

/** @returns what `theirs` reports and `ours` does not, compared by meaning */
export function lostIn(ours: Report, theirs: Report): readonly string[] {
  const texts = (['agent', 'thought', 'user'] as const).filter((role) => !ours[role].includes(theirs[role]));
  return [
    ...texts.map((role) => `${role}: ${JSON.stringify(theirs[role])}, ours: ${JSON.stringify(ours[role])}`),
    ...theirs.usage.filter((one) => !ours.usage.includes(one)).map((one) => `usage: ${one}, ours: ${ours.usage.join('; ')}`),
    ...theirs.titles.filter((one) => !ours.titles.includes(one)).map((one) => `title: ${one}`),
    ...(ours.stopReason === theirs.stopReason ? [] : [`stop: ${theirs.stopReason}, ours: ${ours.stopReason}`]),
    ...theirs.tools.flatMap((tool, index) => lostOfTool(ours.tools[index], tool).map((one) => `call ${index + 1}: ${one}`)),
  ];
}

/** A title that is only the name of the tool says no more than the kind. */
const names: Readonly<Record<string, string>> = { read: 'read', edit: 'edit', write: 'edit', bash: 'execute' };

function lostOfTool(ours: ToolReport | undefined, theirs: ToolReport): readonly string[] {
  if (ours === undefined) return [`all of ${theirs.titles.join()}`];
  const isIn = (title: string): boolean => names[title] === ours.kind || ours.titles.some((own) => own.includes(title));
  const all = ours.texts.join('\n');
  const isLocated = ({ path: file, line }: ToolReport['locations'][number]): boolean =>
    ours.locations.some((own) => own.path === file && (line == null || own.line === line));
  return [
    ...theirs.titles.filter((title) => !isIn(title)).map((title) => `title ${title}`),
    ...(ours.kind === theirs.kind ? [] : [`kind ${theirs.kind}, ours: ${ours.kind}`]),
    ...(ours.statuses.at(-1) === theirs.statuses.at(-1) ? [] : [`status ${theirs.statuses.at(-1)}, ours: ${ours.statuses.at(-1)}`]),
    ...theirs.texts.filter((text) => !all.includes(text)).map((text) => `text ${JSON.stringify(text)}, ours: ${JSON.stringify(all)}`),
    ...theirs.diffs
      .filter((diff) => !saysTheSame(ours.diffs, diff))
      .map((diff) => `diff ${JSON.stringify(diff)}, ours: ${JSON.stringify(ours.diffs)}`),
    ...theirs.locations.filter((one) => !isLocated(one)).map((one) => `location ${JSON.stringify(one)}`),
    ...(theirs.hasFailed === undefined || ours.hasFailed === theirs.hasFailed ? [] : [`exit ${theirs.hasFailed ? 'not ' : ''}0`]),
  ];
}

/** pi-acp shows the whole file before and after. Ours may show only the changed parts, which must turn the old file into the new one. */
function saysTheSame(ours: readonly Diff[], { path: file, oldText, newText }: Diff): boolean {
  const places = ours.filter((diff) => diff.path === file);
  if (oldText === null) return places.some((diff) => diff.oldText === null && diff.newText === newText);
  const isPlace = places.every((diff) => diff.oldText !== null && oldText.includes(diff.oldText));
  const made = places.reduce((text, diff) => text.replace(diff.oldText ?? '', () => diff.newText), oldText);
  return places.length > 0 && isPlace && made === newText;
}
