/** The behavior of agentao on the wire: 0.5.17 and 0.4.20 were measured, and the versions in between are from its changelog. */
import type { AcpQuirks, AnnouncedEdit, AnnouncedRetry, CallFailure } from '../acpQuirks.js';
import { providerFacts } from './agentaoEnv.js';
import type { ModeHint, RetryReason, ToolCaveat } from '../../session/agentHint.js';
import type { AgentCheck, AgentFinding, CheckContext, PromptHang, ProviderFacts } from '../agentKnowledge.js';
import { isBefore, parseVersion, type Version } from '../agentVersion.js';
import { isFields } from '../../base/fields.js';
import { readText } from '../../node/files.js';
import type { ContentBlock, SessionOption, ToolCallContent, ToolKind, ToolStatus } from '../../session/model.js';

/** agentao's modes in its own words, for sessions in which it does not report them. Source: agentao 0.5.17; the same in 0.4.20. */

/**
 * What every version since 0.4.20 offers. `session/load` does not report it, and such a session starts in the first mode that can write.
 */
const assumedMode = {
  currentValue: 'workspace-write',
  choices: [
    { value: 'read-only', name: 'Read-only', description: 'No writes or shell.' },
    { value: 'workspace-write', name: 'Workspace write', description: 'Writes + safe shell; asks for web.' },
    { value: 'full-access', name: 'Full access', description: 'All tools, no prompts.' },
    { value: 'plan', name: 'Plan', description: 'Plans only; does not execute.' },
  ],
};

/** The time is quadratic: 16 KiB take 2 s and 64 KiB half a minute for each model call, and nothing else runs meanwhile. */
const limitChars = 8 * 1024;

/** Returns whether agentao hangs for seconds to minutes on a run of letters, digits and `_ . / \\ -`. */
export function checkAgentaoPrompt(content: readonly ContentBlock[]): PromptHang | undefined {
  const runChars = Math.max(0, ...content.map((block) => longestRun(textIn(block))));
  return runChars > limitChars ? { kind: 'freezes', runChars } : undefined;
}

/** Returns the text as the agent reads it: embedded text becomes text, a link stays a link. */
function textIn(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
}

/** A run consists of letters, digits and characters of paths. Source: agentao 0.5.17, prompts/helpers.py, `[\w./\\-]+`. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/[\p{L}\p{N}_./\\-]+/gu)) longest = Math.max(longest, run.length);
  return longest;
}

export const agentaoDoctorChecks: readonly AgentCheck[] = [{ check: 'provider', run: findProvider }];

/** agentao takes key, URL and model from one of three places: the environment, the folder's `.env`, or its own login. */
async function findProvider({ cwd, env }: CheckContext): Promise<AgentFinding> {
  const { provider, key, baseUrl, model } = providerFacts(env);
  const [login, dotEnv] = await Promise.all([
    readText(`${env['HOME'] ?? env['USERPROFILE'] ?? ''}/.agentao/llm.json`, { limitBytes: 1 }),
    readText(`${cwd}/.env`, { limitBytes: 1 }),
  ]);
  const variables = [
    { name: `${provider}_API_KEY`, isSet: key },
    { name: `${provider}_BASE_URL`, isSet: baseUrl },
    { name: `${provider}_MODEL`, isSet: model },
  ];
  const params: ProviderFacts = {
    agent: 'agentao',
    variables,
    loginFile: '~/.agentao/llm.json',
    hasLogin: login !== undefined,
    hasDotEnv: dotEnv !== undefined,
  };
  if (key && baseUrl && model) return { state: 'ok', code: 'provider_configured', params };
  if (!key && login !== undefined) return { state: 'ok', code: 'provider_own_login', params };
  if (key) {
    const missing = variables.filter(({ isSet }) => !isSet).map(({ name }) => name);
    return { state: 'warning', code: 'provider_incomplete', params: { ...params, missing } };
  }
  return {
    state: dotEnv === undefined ? 'problem' : 'warning',
    code: 'provider_missing',
    params: { ...params, loginCommand: 'agentao --login' },
  };
}

export function agentaoQuirks(versionText: string): AcpQuirks {
  const version = parseVersion(versionText);
  return {
    toolContentAppends: isBefore(version, [0, 5, 4]),
    repeatsTextAsThought: isBefore(version, [0, 5, 15]),
    reusesToolCallIds: true,
    forksAtMessage: false,
    asksBeforeToolCall: isBefore(version, [0, 5, 5]),
    requestsDescribeToolCalls: false,
    relativePaths: true,
    toolKind: (title, kind) => (kind === 'other' ? (kindsByTool.get(toolName(title)) ?? kind) : kind),
    pathsOf,
    announcedEdit,
    caveat,
    permissionContent: withoutDescription,
    alwaysScope: (title) => ({ code: 'session_tool', params: { tool: title.replace(subAgentProgress, '[$1] ') } }),
    assumedMode,
    modeHints: modeHints(version),
    // The result contains names as plain strings. A provider that does not list its models results in a `warning`, not an error.
    listModelsMethod: 'session/list_models',
    withModels,
    // Seen with 0.5.17.
    cancelAgainAfterMs: [500, 2_000],
    promptBlock,
    retryIn,
    classifyError: (failure) => classifyError(failure, version),
  };
}

/** A call of a sub-agent has the title `[agent 1/100] tool` in the tool call and `[agent] tool` in its permission request. */
const subAgentProgress = /^\[(.+) \d+\/\d+\] /;
const subAgent = /^\[[^\]]+\] /;

function toolName(title: string): string {
  return title.replace(subAgent, '');
}

/**
 * agentao's own table, for the calls that it reports as `other`: those of sub-agents, and before 0.5.4 `replace` and `search_file_content`.
 */
const kindsByTool: ReadonlyMap<string, ToolKind> = new Map([
  ['read_file', 'read'],
  ['list_directory', 'read'],
  ['write_file', 'edit'],
  ['replace', 'edit'],
  ['glob', 'search'],
  ['search_file_content', 'search'],
  ['web_search', 'search'],
  ['run_shell_command', 'execute'],
  ['web_fetch', 'fetch'],
]);

function textMember(value: unknown, key: string): string | undefined {
  if (!isFields(value)) return undefined;
  const member = value[key];
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** agentao sends no locations. */
function pathsOf(rawInput: unknown): readonly string[] {
  const path = textMember(rawInput, 'file_path');
  return path === undefined ? [] : [path];
}

/** agentao sends no diff for a plain write and for sub-agents, and before 0.5.4 for no edit at all. */
function announcedEdit(title: string, rawInput: unknown): AnnouncedEdit | undefined {
  const path = textMember(rawInput, 'file_path');
  if (path === undefined || !isFields(rawInput)) return undefined;
  const { old_text: oldText, new_text: newText, content, append } = rawInput;
  switch (toolName(title)) {
    case 'replace':
      return typeof oldText === 'string' && typeof newText === 'string' ? { type: 'hunk', path, oldText, newText } : undefined;
    case 'write_file':
      if (typeof content !== 'string') return undefined;
      return append === true ? { type: 'hunk', path, oldText: null, newText: content } : { type: 'whole', path, newText: content };
    default:
      return undefined;
  }
}

/** agentao does not report results: an edit that matched nothing and a command that failed are also `completed`. */
function caveat(toolKind: ToolKind, status: ToolStatus): ToolCaveat | undefined {
  if (status !== 'completed') return undefined;
  if (toolKind === 'edit') return 'change_unconfirmed';
  if (toolKind === 'execute') return 'exit_code_unreported';
  return undefined;
}

/** The last part of a request's content is a description of the tool for the model. */
function withoutDescription(content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  const last = content.at(-1);
  return last?.type === 'content' && last.content.type === 'text' ? content.slice(0, -1) : content;
}

function modeHints(version: Version | undefined): Readonly<Record<string, ModeHint>> {
  return {
    'workspace-write': 'edits_without_asking',
    ...(isBefore(version, [0, 5, 4]) ? { 'read-only': 'asks_instead_of_refusing' } : {}),
  };
}

/** The option has the form `provider/model` and lists only its current value; another provider cannot be chosen. */
function withModels(options: readonly SessionOption[], models: readonly string[]): readonly SessionOption[] {
  return options.map((option) => {
    if (option.category !== 'model' || option.type !== 'select') return option;
    const { currentValue } = option;
    const provider = currentValue.slice(0, currentValue.indexOf('/') + 1);
    const known = new Set(option.choices.map((entry) => ('value' in entry ? entry.value : '')));
    const more = models.map((name) => ({ value: `${provider}${name}`, name })).filter(({ value }) => !known.has(value));
    return { ...option, choices: [...option.choices.filter((entry) => 'value' in entry), ...more] };
  });
}

/** agentao rejects every key of an image that it does not know, including `uri: null`, and before 0.5.12 annotations. */
function promptBlock(block: ContentBlock): ContentBlock {
  return block.type === 'image' ? { type: 'image', data: block.data, mimeType: block.mimeType } : block;
}

const internalError = -32603;

function classifyError({ code, message, reason }: CallFailure, version: Version | undefined): ReturnType<AcpQuirks['classifyError']> {
  if (code !== internalError) return undefined;
  if (reason === 'llm_error') return { code: 'provider_failed', detail: providerWords(message) };
  // Before 0.5.8, a missing key had no code of its own.
  const keyIsMissing = isBefore(version, [0, 5, 8]) && message.includes('api_key, base_url, and model are required');
  return keyIsMissing ? { code: 'auth_required', detail: message } : undefined;
}

/** `[LLM API error: Error code: 401 - bad key]` → `Error code: 401 - bad key` */
function providerWords(message: string): string {
  return /^\[LLM API error: ([\s\S]*)\]$/.exec(message)?.[1] ?? message;
}

// Reads what agentao reports about its provider on stderr only. Source: agentao 0.5.17 and 0.4.20, llm/client.py; lines as recorded.

/**
 * `2026-11-21 10:00:00,123 INFO agentao.llm: [req-1] retryable streaming error (status=429) after 37 ms; attempt 1 sleeping 7.96s`.
 * Versions before 0.5 print no duration. The pattern covers the whole line, because the same stderr contains text of users and models.
 */
const retryLine =
  /^\d{4}-\d\d-\d\d [\d:,.]+ [A-Z]+ agentao[\w.]*: \[[\w.-]{1,64}\] retryable (?:streaming )?error \((?:status=(\d{3})|([A-Za-z_]\w{0,63}))\)(?: after \d{1,9} ms)?; attempt (\d{1,3}) sleeping (\d{1,6}(?:\.\d{1,3})?)s\s*$/;

const attempts = 5;

const codesByError: Readonly<Record<string, RetryReason['code']>> = {
  APIConnectionError: 'unreachable',
  APITimeoutError: 'timeout',
  StreamEndedEarlyError: 'broken_off',
};

export function retryIn(line: string): AnnouncedRetry | undefined {
  const match = retryLine.exec(line);
  if (match === null) return undefined;
  const [, status, error = '', attempt, seconds] = match;
  const params = { attempt: Number(attempt), attempts };
  return { reason: causeOf(status, error, params), delayMs: Math.round(Number(seconds) * 1_000) };
}

function causeOf(status: string | undefined, error: string, attempt: RetryReason['params']): RetryReason {
  if (status !== undefined) return { code: 'status', params: { ...attempt, status: Number(status) } };
  const code = Object.hasOwn(codesByError, error) ? codesByError[error] : undefined;
  return code === undefined ? { code: 'other', params: { ...attempt, error } } : { code, params: attempt };
}
