/**
 * "Report a Problem": collects what is known, and opens it as an unsaved Markdown text, which users can read before they share it. Secrets are
 * removed from the whole report.
 */
import { arch, homedir, release, type } from 'node:os';
import * as vscode from 'vscode';
import { collectFindings, type Doctor } from '../doctor/doctor.js';
import { describeError } from '../../text/errorText.js';
import { findingText } from '../../text/findingText.js';
import {
  type AgentStatus,
  type EngineClient,
  fenced,
  type Finding,
  formatTrace,
  type FrameDescriber,
  frameDescriberOf,
  type HostCounters,
  HostError,
  type HostDiagnostics,
  type Redactor,
  type RequestRecord,
  type SessionState,
  type StopReason,
  type TrafficEntry,
  type TrafficItem,
  type TranscriptItem,
  type TurnOutcome,
} from '../../core/index.js';
import { noticeText } from '../../text/noticeText.js';
import type { OpenConversations } from '../conversation/openConversations.js';
import { settingsInUse } from '../window/settings.js';
import { openMarkdown } from '../window/windowMessages.js';
import type { TrafficSources } from '../traffic/sources.js';

/** The number of latest requests that are listed. */
const listedRequests = 40;
/** The size of the newest frames that are shown; a trace contains all of them. */
const trafficChars = 200_000;
const transcriptChars = 200_000;

export function versionSection(versions: Readonly<Record<string, string | undefined>>): ReportSection {
  return { title: 'Versions', body: factList(versions) };
}

/** @param settings the settings that the user changed */
export function settingsSection(settings: Readonly<Record<string, unknown>>): ReportSection {
  const body = Object.keys(settings).length === 0 ? 'None set.' : fenced(JSON.stringify(withoutEnvValues(settings), undefined, 2), 'json');
  return { title: 'Settings', body };
}

/** The names of the variables help; their values are private. */
function withoutEnvValues(value: unknown, inEnv = false): unknown {
  if (typeof value !== 'object' || value === null) return inEnv && value !== null ? '[set]' : value;
  if (Array.isArray(value)) return value.map((item) => withoutEnvValues(item, inEnv));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutEnvValues(member, inEnv || key === 'env')]));
}

export function doctorSection(findings: readonly Finding[]): ReportSection {
  const lines = findings.map((finding) => {
    const { title, detail } = findingText(finding, 'editor');
    const lines = detail === undefined ? [] : detail.split('\n').map((line) => `  ${line}`);
    return [`- ${finding.state}: ${title}`, ...lines].join('\n');
  });
  return { title: 'Diagnostics', body: lines.length === 0 ? 'Not checked.' : lines.join('\n') };
}

/** @param label for users */
export function agentSections(label: string, diagnostics: HostDiagnostics): readonly ReportSection[] {
  const { agent, cwd, info, status, counters, requests, stderrTail } = diagnostics;
  const facts = factList({
    agent: `${agent.label} (${agent.id})`,
    protocol: agent.protocol,
    address: `\`${agent.address}\``,
    folder: `\`${cwd}\``,
    name: info?.name,
    version: info?.version,
    'protocol version': info?.protocolVersion,
    status: statusText(status, agent.label),
  });
  return [
    { title: label, body: facts },
    ...(status.state === 'failed'
      ? [{ title: `${label}: last error`, body: fenced(JSON.stringify(status.error, undefined, 2), 'json') }]
      : []),
    ...(info === undefined
      ? []
      : [
          {
            title: `${label}: capabilities`,
            body: fenced(JSON.stringify({ ...info.capabilities, authMethods: info.authMethods.map(({ id }) => id) }, undefined, 2), 'json'),
          },
        ]),
    { title: `${label}: counters`, body: countersText(counters) },
    { title: `${label}: last requests`, body: requestsText(requests) },
    { title: `${label}: stderr`, body: stderrTail.trim() === '' ? 'No output.' : fenced(stderrTail.trimEnd()) },
  ];
}

const counterText: Readonly<Record<keyof HostCounters, string>> = {
  starts: 'processes started',
  restarts: 'restarts',
  requestsSent: 'requests to the agent',
  requestsReceived: 'requests from the agent',
  notificationsSent: 'notifications to the agent',
  notificationsReceived: 'notifications from the agent',
  errorsReceived: 'requests answered with an error',
  requestsAbandoned: 'requests abandoned',
  timeouts: 'requests timed out',
  silences: 'silences over a minute',
  noiseLines: 'lines of non-protocol output',
  invalidMessages: 'invalid messages',
  unknownResponses: 'unmatched responses',
  leftOut: 'unknown messages ignored',
  pauses: 'pauses in reading',
  bytesSent: 'bytes sent',
  bytesReceived: 'bytes received',
};

function countersText(counters: HostCounters): string {
  return Object.entries(counterText)
    .map(([key, words]) => `- ${words}: ${counters[key as keyof HostCounters]}`)
    .join('\n');
}

function requestsText(requests: readonly RequestRecord[]): string {
  if (requests.length === 0) return 'None.';
  const rows = requests.slice(-listedRequests).map(({ id, from, method, startedAt, outcome, durationMs, error }) => {
    const how =
      error === undefined ? outcome : `${outcome} ${error.code ?? ''}: ${error.message.replaceAll('|', '/').replaceAll('\n', ' ')}`;
    return `| ${new Date(startedAt).toISOString()} | ${from} | ${method} | ${id ?? ''} | ${how} | ${durationMs === undefined ? '' : `${durationMs} ms`} |`;
  });
  return ['| at | from | method | id | outcome | duration |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** @param withContents if false, texts are replaced by their length */
export function trafficSection(
  label: string,
  items: readonly TrafficItem[],
  { agent }: HostDiagnostics,
  withContents: boolean,
): ReportSection {
  const shown = withContents ? items : withoutContents(items, frameDescriberOf(agent.protocol));
  const [header = '', ...lines] = formatTrace({ host: '', agent: { id: agent.id, label: agent.label }, protocol: agent.protocol }, shown)
    .trimEnd()
    .split('\n');
  let chars = 0;
  const from = lines.findLastIndex((line) => (chars += line.length + 1) > trafficChars) + 1;
  const note = from > 0 ? `Last ${lines.length - from} of ${lines.length} lines.\n\n` : '';
  return {
    title: `${label}: last messages`,
    body: items.length === 0 ? 'None.' : `${note}${fenced([header, ...lines.slice(from)].join('\n'), 'json')}`,
  };
}

/** Leaves out messages in which content cannot be distinguished. */
function withoutContents(items: readonly TrafficItem[], describer: FrameDescriber | undefined): readonly TrafficItem[] {
  const shapeOf = (entry: TrafficEntry): TrafficEntry =>
    entry.kind === 'message' ? { ...entry, message: describer?.stripContent(entry.message) ?? {} } : entry;
  return items.map((item) => ({ ...item, entry: shapeOf(item.entry) }));
}

/**
 * @param agent its name for users
 * @param withContents if false, the section only says that something was said, when, and how it ended
 */
export function conversationSection(state: SessionState, agent: string, withContents: boolean): ReportSection {
  const counts = new Map<string, number>();
  for (const item of state.items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  const turns = state.items
    .filter((item) => item.kind === 'turn_end')
    .map(({ outcome, at, startedAt }, index) => `- turn ${index + 1}: ${outcomeText(outcome, agent)}, ${at - startedAt} ms`);
  const facts = factList({
    // Not "session", because the redactor takes what follows that word for a secret.
    'session ID': `\`${state.sessionId}\``,
    items: [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none',
    turn: state.turn.type,
    'open requests': state.requests.length,
    queued: state.queue.length,
  });
  const transcript = withContents
    ? fenced(
        state.items
          .map((item) => transcriptText(item, agent))
          .filter((text) => text !== '')
          .join('\n\n')
          .slice(-transcriptChars),
      )
    : 'The text of the conversation is not in this report.';
  return { title: 'Conversation', body: [facts, turns.join('\n'), transcript].filter((part) => part !== '').join('\n\n') };
}

function kindOf(item: TranscriptItem): string {
  return item.kind === 'message' ? item.role : item.kind;
}

function transcriptText(item: TranscriptItem, agent: string): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('')}`;
    case 'tool':
      return `tool (${item.toolKind}, ${item.status}): ${item.title}`;
    case 'notice':
      return `${item.severity}: ${noticeText(item, agent).title}${'code' in item ? ` (${item.code})` : ''}`;
    case 'turn_end':
      return `— ${outcomeText(item.outcome, agent)}`;
    case 'plan':
      return `plan: ${item.text.markdown}`;
    case 'subagent':
      return `sub-agent (${item.status}): ${item.title}`;
    case 'compaction':
      return '';
  }
}

const stopText: Readonly<Record<StopReason, string>> = {
  end_turn: 'finished',
  max_tokens: 'stopped at the token limit of the model',
  max_turn_requests: 'stopped at the limit of steps',
  refusal: 'refused by the agent',
  cancelled: 'canceled',
};

/** Returns a text, followed by the code for which a developer searches. */
function outcomeText(outcome: TurnOutcome, agent: string): string {
  if (outcome.type === 'ended') return `${stopText[outcome.stopReason]} (\`${outcome.stopReason}\`)`;
  const { title } = describeError(outcome.error, { agent });
  return `${outcome.type}: ${title} (\`${HostError.from(outcome.error).message}\`)`;
}

function statusText(status: AgentStatus, agent: string): string {
  switch (status.state) {
    case 'failed':
      return `failed: ${describeError(status.error, { agent }).title} (\`${status.error.code}\`)`;
    case 'stopped': {
      const { exit } = status;
      if (exit === undefined) return 'not running';
      const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
      return `${exit.requested ? 'stopped by ACP Host' : 'exited by itself'} (${how})`;
    }
    case 'reconnecting':
      return `reconnecting${status.attempt === undefined ? '' : `, ${status.attempt} of ${status.of}`}`;
    default:
      return status.state;
  }
}

/** One section of a report. */
interface ReportSection {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

const intro = [
  'Created by **ACP Host: Report a Problem**. Read it before you share it: known secrets, values of environment variables and the path of your home folder are redacted,',
  'but only you can tell what else is private. Describe what you did, what you expected and what happened instead:',
].join('\n');

/** @param home the user's home folder, absolute; replaced by `~` */
export function problemReport(sections: readonly ReportSection[], redactor: Redactor, home: string = homedir()): string {
  const parts = ['# Problem report', intro, '> ', ...sections.map(({ title, body }) => `## ${title}\n\n${body}`)];
  return `${withoutHome(redactor.text(parts.join('\n\n')), home)}\n`;
}

/** Also replaces it inside JSON. A home folder with a very short path, such as `/`, is not private and would match everywhere. */
function withoutHome(text: string, home: string): string {
  if (home.length < 4) return text;
  const escaped = JSON.stringify(home).slice(1, -1);
  return text.replaceAll(escaped, '~').replaceAll(home, '~');
}

/** Leaves out undefined facts. */
function factList(facts: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(facts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]))
    .join('\n');
}

interface ProblemReportParts {
  readonly traffic: TrafficSources;
  readonly conversations: OpenConversations;
  readonly doctor: Doctor;
  readonly redactor: Redactor;
  readonly engine: Pick<EngineClient, 'connection'>;
  readonly hostVersion: string;
}

export async function reportProblem(parts: ProblemReportParts): Promise<void> {
  const withConversation = await askForConversation();
  if (withConversation === undefined) return;
  const content = problemReport(await collect(parts, withConversation), parts.redactor);
  await openMarkdown(content);
}

async function askForConversation(): Promise<boolean | undefined> {
  const rows = [
    {
      label: 'Without the Conversation',
      detail: 'Versions, settings, counters, and the kind, time and length of each message',
      withConversation: false,
    },
    {
      label: 'With the Conversation',
      detail: 'Also your messages, the answers, and what the agent read and changed',
      withConversation: true,
    },
  ];
  const choice = await vscode.window.showQuickPick(rows, {
    title: 'Report a Problem',
    placeHolder: 'The report opens in an editor. Nothing is sent.',
  });
  return choice?.withConversation;
}

async function collect(parts: ProblemReportParts, withConversation: boolean): Promise<readonly ReportSection[]> {
  const sections: ReportSection[] = [versionSection(versions(parts)), settingsSection(settingsInUse())];
  const { current } = parts.conversations;
  if (current !== undefined) {
    const { conversation } = current;
    const findings = await collectFindings('Collecting information for the report', (signal) =>
      parts.doctor.examine(current, signal, true),
    );
    sections.push(doctorSection(findings ?? []));
    if (conversation.state.session !== undefined)
      sections.push(conversationSection(conversation.state.session, conversation.state.agent?.label ?? 'the agent', withConversation));
  }
  for (const source of parts.traffic.all.toReversed()) {
    // A report about a lost engine must not fail because of that.
    const known = await Promise.all([source.diagnostics(), source.read()]).catch(() => undefined);
    if (known === undefined) sections.push({ title: source.label, body: 'Not available.' });
    else {
      const [diagnostics, items] = known;
      sections.push(...agentSections(source.label, diagnostics), trafficSection(source.label, items, diagnostics, withConversation));
    }
  }
  return sections;
}

function versions({ hostVersion, engine: { connection } }: ProblemReportParts): Readonly<Record<string, string | undefined>> {
  return {
    'ACP Host': hostVersion,
    engine: connection.state === 'connected' ? `${connection.engine.version}, ${connection.engine.location}` : connection.state,
    [vscode.env.appName]: vscode.version,
    system: `${type()} ${release()}, ${arch()}`,
    Node: process.version,
    where: vscode.env.remoteName ?? 'this machine',
    interface: vscode.env.uiKind === vscode.UIKind.Web ? 'browser' : 'desktop',
  };
}
