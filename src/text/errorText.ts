/**
 * Every failure for users: what happened, why if that is known, and what to do. This is the only place that turns error codes into text.
 */
import { defaultProtocol, type ErrorParams, type HostErrorCode, type HostErrorData } from '../core/index.js';
import { errorCause } from './errorCause.js';
import { fact, hangUpSentences, isServer, misfitText } from './errorFacts.js';
import { clause, counted, sentence, sentences } from './sentence.js';

export interface ErrorText {
  /** What happened, without a period at the end. */
  readonly title: string;
  /** Why, and what to do. */
  readonly text: string;
}

export interface ErrorContext {
  /** The agent's name for users. */
  readonly agent: string;
  /** How to install an agent that was not found. */
  readonly install?: { readonly label: string };
}

type Describe = (error: HostErrorData, context: ErrorContext & { readonly cause: string }) => ErrorText;

const describe: Readonly<Record<HostErrorCode, Describe>> = {
  agent_not_found: ({ params }, { agent, install }) => {
    const named = `${agent} could not start: "${fact(params, 'command') || fact(params, 'file') || agent}"`;
    if (params.reason === 'not_in_settings')
      return { title: `${named} is not in the settings`, text: 'Add it there, or select another agent.' };
    const how = install && `Install ${install.label} with this command in a terminal, or set its path.`;
    return { title: `${named} was not found`, text: how ?? 'Install it or correct its command in the settings.' };
  },
  spawn_failed: ({ params }, { agent, cause }) => ({
    title: `${agent} could not start`,
    text: sentences(cause, spawnAdvice[String(params.reason)] ?? 'Check its command and its permissions.'),
  }),
  handshake_failed: ({ params }, { agent, cause }) => ({
    title: `${isServer(params) ? `Connected to ${agent}, but it` : `${agent} started but`} did not answer properly`,
    text:
      params.reason === 'other_protocol' || params.reason === 'protocol_of_programs'
        ? cause
        : sentences(cause, isServer(params) ? serverAdvice : 'Check its arguments; its output is in the log.'),
  }),
  handshake_timeout: ({ params }, { agent, cause }) => ({
    title: `${isServer(params) ? `Connected to ${agent}, but it` : `${agent} started but`} did not answer in time`,
    text: isServer(params) ? sentences(cause, serverAdvice) : slowStart(params),
  }),
  version_unsupported: (_, { agent }) => ({
    title: `${agent} uses a protocol version that ACP Host doesn't support`,
    text: 'Update the agent or ACP Host, whichever is older.',
  }),
  connect_failed: ({ params }, { agent, cause }) => ({
    title: `Could not connect to ${agent}`,
    text: connectText(params, cause),
  }),
  key_refused: ({ params }, { agent }) =>
    params.reason === 'missing'
      ? { title: `${agent} requires a key`, text: 'No key is set for this server yet.' }
      : {
          title: `${agent} refused the key`,
          text: sentences(
            params.reason === 'status' ? `It answered with the HTTP status ${fact(params, 'status')}.` : hangUpSentences('It', params),
            'Check the key, then try again.',
          ),
        },
  auth_required: (_, { agent, cause }) => ({ title: `${agent} needs you to sign in`, text: cause }),
  agent_exited: (error, { agent }) => ({
    title: exitTitle(error, agent),
    text:
      error.params['circuit'] === 'open'
        ? 'It crashed repeatedly, so automatic restart is paused. Choose Restart to resume.'
        : `The conversation is saved. Restart starts ${agent} again and resumes it.`,
  }),
  request_timeout: (_, { agent, cause }) => ({
    title: `${agent} did not answer in time`,
    text: sentences(cause, 'Try again, or restart it.'),
  }),
  request_failed: (_, { agent, cause }) => ({ title: `${agent} reported an error`, text: cause }),
  provider_failed: (_, { cause }) => ({ title: 'The model provider reported an error', text: cause }),
  invalid_response: (_, { agent, cause }) => ({
    title: `${agent} sent an invalid response`,
    text: sentences(cause, 'This is a bug in the agent; see the log for details.'),
  }),
  invalid_message: (_, { agent, cause }) => ({ title: `${agent} sent an invalid message`, text: sentences(cause, 'ACP Host ignored it.') }),
  line_too_long: (_, { agent, cause }) => ({
    title: `${agent} sent a message that is too large`,
    text: sentences(cause, 'ACP Host ignored the message.'),
  }),
  queue_full: (_, { agent }) => ({
    title: `${agent} is not responding`,
    text: 'It has stopped reading input. Restart it; the conversation is saved.',
  }),
  session_unknown: ({ params }, { agent }) =>
    params.reason === 'lost'
      ? {
          title: `${agent} lost its session for this conversation`,
          text: 'It ended unexpectedly, or dropped the session. The conversation is saved.',
        }
      : { title: `${agent} doesn't remember this conversation`, text: 'The agent has no saved copy of it.' },
  session_busy: (_, { agent }) => ({
    title: `${agent} is still busy with the last turn`,
    text: 'Wait until it ends or stop it, then try again.',
  }),
  unsupported: (_, { agent, cause }) => ({ title: `${agent} doesn't support this`, text: cause }),
  untrusted: (_, { agent }) => ({
    title: 'This workspace is not trusted',
    text: `${agent} runs programs and changes files, so it starts only in a workspace that you trust.`,
  }),
  storage_failed: (_, { cause }) => ({
    title: 'The conversation could not be saved or read',
    text: sentences(cause, 'Check the free space and the permissions of the folder with the saved conversations.'),
  }),
  changes_unknown: (_, { cause }) => ({ title: "ACP Host can't tell what changed in the folder", text: cause }),
  install_failed: ({ params }, { agent, cause }) => ({
    title: failedInstallTitle(params, agent),
    text: sentences(cause, params['what'] === 'removal' ? '' : 'Nothing else was changed.'),
  }),
  cancelled: () => ({ title: 'Stopped', text: 'The operation was stopped before it finished.' }),
  disposed: () => ({ title: 'Closed', text: 'The conversation was closed before the operation finished.' }),
  usage: ({ params }, { cause }) => ({
    title: usageTitles[params.reason ?? ''] ?? "This action isn't available",
    text: cause,
  }),
  engine_lost: (_, { cause }) => ({
    title: 'The connection to the background process of ACP Host was lost',
    text: sentences(cause, 'The conversations are saved. Try again to resume.'),
  }),
  engine_failed: (_, { cause }) => ({
    title: "ACP Host can't use its background process",
    text: cause,
  }),
  engine_hangs: ({ params }) => ({
    title: 'The background process of ACP Host is not responding',
    text: `Try again. If it still doesn't respond, end ${fact(params, 'pid') === '' ? 'it' : `the process ${fact(params, 'pid')}`}.`,
  }),
  engine_older: ({ params }) => ({
    title: `An older ACP Host${versionOf(params)} is ${isBusy(params) ? `finishing ${counted(Number(params['turns']), 'turn')}` : 'running'}`,
    text: 'Wait until it ends, or stop its turns, then try again.',
  }),
  engine_newer: ({ params }) => ({
    title: `A newer ACP Host${versionOf(params)} is running`,
    text: 'Update ACP Host here as well. In an editor that is up to date, reload the window.',
  }),
  internal: (_, { cause }) => ({ title: 'ACP Host hit an internal error', text: sentences(cause, 'See the log for details.') }),
};

export function describeError(error: HostErrorData, context: ErrorContext): ErrorText {
  return describe[error.code](error, { ...context, cause: errorCause(error, context.agent) });
}

/**
 * Returns one line that says why, or else what, without a period at the end.
 * @param agent the agent's name for users
 */
export function errorMessage(error: HostErrorData, agent: string): string {
  const why = clause(errorCause(error, agent));
  const { title } = describeError(error, { agent });
  // Those causes speak of the process that only the title names.
  if ((error.code === 'engine_failed' || error.code === 'engine_lost') && why !== '') return `${title}: ${why}`;
  return why || title;
}

/** What to do if an agent could not be started for this reason. */
export const spawnAdvice: Readonly<Record<string, string>> = {
  // Whatever the script is, its first line no longer fits this machine.
  no_interpreter: 'Install the agent again, or correct the first line of the script.',
  folder_missing: 'Restore the folder, or work in another one.',
};

/** Trust in the certificate would not help. */
export const renewAdvice = 'Renew the certificate of the server, or correct the clock of this computer.';

/** By reason. */
const usageTitles: Readonly<Record<string, string>> = {
  no_folder: 'No folder is open',
  option_refused: 'The option was not changed',
  option_kept: 'The option was not changed',
};

function failedInstallTitle(params: ErrorParams, agent: string): string {
  const name = fact(params, 'agent') || agent;
  switch (params['what']) {
    case 'list':
      return 'The newest list of agents is not available';
    case 'removal':
      return `${name} could not be removed`;
    default:
      return `${name} could not be installed`;
  }
}

/** The dialog in which the user decides shows the fingerprint; here it would push the button out of view. */
function connectText({ reason, detail }: HostErrorData['params'], cause: string): string {
  switch (reason) {
    case 'certificate_untrusted':
      return sentences(sentence(`The system doesn't trust its certificate: ${detail ?? 'unknown issuer'}`), 'Nothing was sent.');
    case 'certificate_expired':
      return sentences(cause, renewAdvice);
    case 'pin_mismatch':
      return 'Its certificate is not the one that you trusted. Somebody may be impersonating the server. Nothing was sent.';
    case 'plain_text':
      return 'The connection is not encrypted (ws://): anyone on the network could read the conversation and the key. Use wss://, or a tunnel to 127.0.0.1.';
    default:
      return sentences(cause, 'Check that the server is running and that its URL is correct.');
  }
}

function versionOf(params: ErrorParams): string {
  const version = fact(params, 'version');
  return version === '' ? '' : ` (${version})`;
}

function isBusy({ turns }: ErrorParams): boolean {
  return typeof turns === 'number' && turns > 0;
}

const serverAdvice = 'Check that its URL and its protocol are correct.';

function slowStart({ firstNoise, ...params }: ErrorParams): string {
  const misfit = misfitText(params);
  if (misfit !== '') return misfit;
  const protocol = fact(params, 'protocol');
  const speaks =
    protocol === '' || protocol === defaultProtocol ? 'the command is not an ACP agent' : `it doesn't speak the protocol "${protocol}"`;
  return typeof firstNoise === 'string'
    ? `It printed "${firstNoise}" instead of a protocol message: ${speaks}, or something else writes to its output.`
    : `It may still be loading, or ${speaks}. You can change the time limit in the settings.`;
}

const lostConnections: ReadonlySet<unknown> = new Set([
  'connection_closed',
  'connection_silent',
  'message_too_large',
  'bad_frame',
  'stop_ignored',
]);

/** Whether the error is about a server, to which the host connects again instead of restarting it. */
export function isOfConnection({ code, params }: HostErrorData): boolean {
  return code === 'connect_failed' || (code === 'agent_exited' && lostConnections.has(params.reason));
}

const crashes: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']);

function exitTitle({ params: { exitCode, signal, requested, reason } }: HostErrorData, agent: string): string {
  if (requested === true) return `${agent} was stopped`;
  if (lostConnections.has(reason)) return `The connection to ${agent} was lost`;
  if (typeof exitCode === 'number') return `${agent} exited (code ${exitCode})`;
  if (typeof signal !== 'string') return `${agent} exited`;
  return `${agent} ${crashes.has(signal) ? 'crashed' : 'was killed'} (${signal})`;
}
