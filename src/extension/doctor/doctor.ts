import { findingText, verdictText } from '../../text/findingText.js';
import {
  type ConversationState,
  type Disposable,
  Emitter,
  type Examination,
  examine,
  type Finding,
  type FindingState,
  type HostErrorCode,
  type Logger,
} from '../../core/index.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { showProgress } from '../window/windowMessages.js';

const marks: Readonly<Record<FindingState, string>> = { ok: '✓', note: '·', warning: '⚠', problem: '✗' };

/** Returns a Markdown document: problems first, then everything else in the order in which it was checked. */
export function doctorDocument(agent: string, findings: readonly Finding[]): string {
  const order: readonly FindingState[] = ['problem', 'warning', 'ok', 'note'];
  const sections = order.flatMap((state) => findings.filter((finding) => finding.state === state)).map(section);
  return [`# Diagnostics: ${agent}`, verdictText(findings), ...sections].join('\n\n').concat('\n');
}

function section(finding: Finding): string {
  const { title, detail, advice } = findingText(finding, 'editor');
  return [
    `## ${marks[finding.state]} ${title}`,
    ...(detail === undefined ? [] : [`\`\`\`\n${detail}\n\`\`\``]),
    ...(advice === undefined ? [] : [`→ ${advice}`]),
  ].join('\n\n');
}

/** Returns what may explain a failed start; undefined if nothing was found. */
export function doctorNote(findings: readonly Finding[]): string | undefined {
  const telling = findings.filter(({ state }) => state === 'problem' || state === 'warning');
  if (telling.length === 0) return undefined;
  return telling
    .map((finding) => {
      const { title, detail, advice } = findingText(finding, 'editor');
      return [`${marks[finding.state]} ${title}`, ...indented(detail), ...indented(advice === undefined ? undefined : `→ ${advice}`)].join(
        '\n',
      );
    })
    .join('\n');
}

function indented(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split('\n').map((line) => `  ${line}`);
}

/** Failures of a start that the machine or the settings may explain. */
const startFailures: ReadonlySet<HostErrorCode> = new Set([
  'agent_not_found',
  'spawn_failed',
  'handshake_failed',
  'handshake_timeout',
  'version_unsupported',
]);

interface DoctorParts {
  readonly conversations: OpenConversations;
  readonly log: Logger;
  /**
   * Returns what to check in a folder.
   * @param agentId the agent on screen; the user's choice if undefined
   */
  examinationOf(folderPath: string, agentId: string | undefined): Promise<Examination>;
}

/** Diagnoses the agents of this window: when the user asks, and automatically after an agent first fails to start. */
export class Doctor implements Disposable {
  readonly #parts: DoctorParts;
  readonly #onChange = new Emitter<void>();
  /** Agents that were diagnosed automatically. This happens once for each agent, because another failure has the same reason. */
  readonly #seen = new Set<string>();
  readonly #notes = new Map<string, string>();

  constructor(parts: DoctorParts) {
    this.#parts = parts;
  }

  /** Fires when the explanation of a failed start changed. */
  readonly onChange = this.#onChange.event;

  /**
   * Runs every check. Opens no session, and instead ends with what the conversation shows.
   * @param withoutStart leaves out what needs the agent to be started
   * @throws HostError `agent_not_found`, `usage`
   */
  async *examine({ folder, conversation }: OpenConversation, signal: AbortSignal, withoutStart = false): AsyncGenerator<Finding> {
    const findings: Finding[] = [];
    const examination = await this.#parts.examinationOf(folder.path, conversation.state.agent?.id);
    for await (const finding of examine({ ...examination, withoutStart }, signal)) {
      findings.push(finding);
      yield finding;
    }
    const blocked = signal.aborted ? undefined : conversationFinding(conversation.state, findings);
    if (blocked !== undefined) yield blocked;
  }

  /** Returns what may explain the failed start of a conversation. */
  note({ folder, conversation: { state } }: OpenConversation): string | undefined {
    return hasFailedToStart(state) ? this.#notes.get(keyOf(folder.path, state)) : undefined;
  }

  /** Call this whenever a conversation changed. */
  watch(): void {
    for (const { folder, conversation } of this.#parts.conversations.all) {
      const { state } = conversation;
      const key = keyOf(folder.path, state);
      if (!hasFailedToStart(state) || this.#seen.has(key)) continue;
      this.#seen.add(key);
      void this.#explain(key, folder.path, state.agent?.id);
    }
  }

  /** Ignores the results of checks that are still running. */
  dispose(): void {
    this.#onChange.dispose();
  }

  async #explain(key: string, folderPath: string, agentId: string | undefined): Promise<void> {
    const { log } = this.#parts;
    try {
      const findings: Finding[] = [];
      const examination = await this.#parts.examinationOf(folderPath, agentId);
      for await (const finding of examine({ ...examination, withoutStart: true })) findings.push(finding);
      const note = doctorNote(findings);
      if (note === undefined) return;
      this.#notes.set(key, note);
      this.#onChange.fire();
    } catch (error) {
      log.info('Diagnostics could not explain the failed start', error);
    }
  }
}

function hasFailedToStart({ status, blocker }: ConversationState): boolean {
  const code = blocker?.type === 'failed' ? blocker.error.code : status.state === 'failed' ? status.error.code : undefined;
  return code !== undefined && startFailures.has(code);
}

function keyOf(folderPath: string, { agent }: ConversationState): string {
  return `${folderPath}\n${agent?.id ?? ''}`;
}

/**
 * Returns what prevents the next answer in the conversation; undefined if nothing does.
 * @param found what diagnostics found; a start that failed there as well explains the conversation's
 */
function conversationFinding({ agent, blocker, info, status }: ConversationState, found: readonly Finding[]): Finding | undefined {
  const failed = status.state === 'failed' ? status : undefined;
  const error = blocker?.error ?? failed?.error;
  if (error === undefined || found.some(preventsStart)) return undefined;
  const params = { agent: agent?.label ?? 'The agent', error, stderrTail: failed?.stderrTail ?? '' };
  if (error.code !== 'auth_required') return { check: 'session', state: 'problem', code: 'conversation_blocked', params };
  const signIn = (info?.authMethods ?? []).map(({ name }) => name);
  return { check: 'session', state: 'problem', code: 'session_needs_sign_in', params: { ...params, signIn } };
}

function preventsStart({ check, state }: Finding): boolean {
  return state === 'problem' && (check === 'agent' || check === 'trust' || check === 'handshake');
}

/**
 * Shows progress with the latest finding.
 * @returns undefined if the user canceled
 */
export function collectFindings(
  title: string,
  examineUntil: (signal: AbortSignal) => AsyncIterable<Finding>,
): Promise<readonly Finding[] | undefined> {
  return showProgress(title, async (report, signal) => {
    const findings: Finding[] = [];
    for await (const finding of examineUntil(signal)) {
      findings.push(finding);
      report(findingText(finding, 'editor').title);
    }
    return signal.aborted ? undefined : findings;
  });
}
