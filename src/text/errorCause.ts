/** Why something failed, as a separate sentence. */
import type { ErrorParams, ErrorReasons, FailureHint, HostErrorCode, HostErrorData } from '../core/index.js';
import {
  closeCodeInBrackets,
  closeReason,
  detailOf,
  diskProblem,
  fact,
  hangUpSentences,
  hostOf,
  isServer,
  listOf,
  misfitText,
  problemOf,
  serverNoise,
  serverOf,
  sizeLimitOf,
} from './errorFacts.js';
import { sentence, sentences } from './sentence.js';

interface Cause {
  readonly params: ErrorParams;
  /** The agent's name, as it begins a sentence. */
  readonly agent: string;
}

type Describe = (cause: Cause) => string;

/** What to do if a program is missing that installs packages. */
const toolAdvice: Readonly<Record<string, string>> = {
  npm: 'It needs npm, which is not on the PATH. Install Node.js, which includes it, and try again.',
  uv: 'It needs uv or Python 3, and neither is on the PATH. Install one of them, and try again.',
};

/** One line for each reason, so that a new reason does not compile without a sentence. */
const byReason: { readonly [C in keyof ErrorReasons]: Readonly<Record<ErrorReasons[C], Describe>> } = {
  agent_not_found: {
    not_on_path: ({ params }) => `The program "${fact(params, 'command')}" is not on the PATH.`,
    no_program: ({ params }) => `"${fact(params, 'command')}" doesn't exist, or is not an executable file.`,
    file_missing: ({ params }) => `Could not start ${fact(params, 'file')}: the file does not exist.`,
    none_installed: () => 'No agent found.',
    not_in_settings: ({ params }) => `There is no agent "${fact(params, 'command')}" in the settings.`,
  },
  spawn_failed: {
    refused: ({ params }) => sentence(`The operating system refused to start ${fact(params, 'file')}: ${detailOf(params)}`),
    folder_missing: ({ params }) => `The folder ${fact(params, 'cwd')} doesn't exist.`,
    no_interpreter: ({ params }) => {
      const [, name = '', isWindows] = /^([^]*?)(\r?)$/.exec(fact(params, 'interpreter')) ?? [];
      const told = `The first line of ${fact(params, 'file')} names the program "${name}${isWindows ? '\\r' : ''}", which was not found`;
      return isWindows ? `${told}: the script has the line breaks of Windows.` : `${told}.`;
    },
    batch_line_break: () =>
      'An argument contains a line break, which a batch file does not accept. Specify the program itself instead of the batch file.',
  },
  handshake_failed: {
    exited: ({ params, agent }) => sentences(`${agent} exited before it responded${exitInBrackets(params)}.`, noise(params)),
    bad_answer: ({ params, agent }) => {
      const because = errorDataOf(params['because']);
      const cause = because === undefined ? detailOf(params) : errorCause(because, agent);
      return sentences(sentence(`${agent} did not respond properly: ${cause}`), noise(params));
    },
    other_protocol: ({ params, agent }) =>
      `${agent} speaks the protocol "${fact(params, 'found')}", not "${fact(params, 'protocol')}". Choose the protocol "${fact(params, 'found')}" for it.`,
    protocol_of_programs: ({ params, agent }) =>
      `${agent} speaks the protocol "${fact(params, 'found')}", not "${fact(params, 'protocol')}". ACP Host speaks "${fact(params, 'found')}" only with programs that it starts: specify a command instead of a URL.`,
  },
  connect_failed: {
    unreachable: ({ params }) => sentence(`${serverOf(params)} can't be reached: ${detailOf(params)}`),
    no_answer: ({ params }) => `${serverOf(params)} did not answer in time.`,
    closed: ({ params }) => hangUpSentences(serverOf(params), params),
    certificate_untrusted: ({ params }) =>
      sentences(
        sentence(`The certificate of ${serverOf(params)} is not trusted: ${detailOf(params)}`),
        `Its public key is ${fact(params, 'pin')}; it is valid from ${fact(params, 'validFrom')} to ${fact(params, 'validTo')}. Nothing was sent.`,
      ),
    certificate_expired: ({ params }) =>
      `The certificate of ${serverOf(params)} is valid only from ${fact(params, 'validFrom')} to ${fact(params, 'validTo')}. Nothing was sent.`,
    pin_mismatch: ({ params }) =>
      `The certificate of ${serverOf(params)} is not the pinned one: its public key is ${fact(params, 'pin')}, and the pin is ${fact(params, 'expected')}. Somebody may be impersonating the server. Nothing was sent.`,
    redirected: ({ params }) =>
      sentence(
        `${serverOf(params)} redirects to ${fact(params, 'location') || 'another address'}. ACP Host doesn't follow redirects, because the key is meant for this server only`,
      ),
    http_status: ({ params }) => `${serverOf(params)} answered with the HTTP status ${fact(params, 'status')} instead of a WebSocket.`,
    not_web_socket: ({ params }) => sentence(`${serverOf(params)} is not a WebSocket server: ${detailOf(params)}`),
    not_secure: ({ params }) => `${serverOf(params)} answers without TLS: its URL may have to start with ws:// instead of wss://.`,
    plain_text: ({ params }) =>
      `The connection to ${serverOf(params)} is not encrypted (ws://): anyone on the network could read the conversation and the key.`,
  },
  key_refused: {
    status: ({ params, agent }) => `${agent} refused the key (HTTP status ${fact(params, 'status')}).`,
    closed: ({ params, agent }) => hangUpSentences(`${agent} refused the key: it`, params),
    missing: ({ params, agent }) => sentences(`${agent} requires a key, and none was sent.`, closeReason(params), serverNoise(params)),
  },
  agent_exited: {
    process_ended: exitSentence,
    output_closed: exitSentence,
    read_failed: ({ params, agent }) => sentence(`Reading from ${agent} failed: ${detailOf(params)}`),
    write_failed: ({ params, agent }) => sentence(`Writing to ${agent} failed: ${detailOf(params)}`),
    pipe_closed: ({ agent }) => `${agent} closed its input.`,
    stopped: ({ agent }) => `${agent} was stopped.`,
    not_running: ({ agent }) => `${agent} is not running.`,
    connection_closed: ({ params, agent }) =>
      sentences(`The connection to ${agent} was lost${closeCodeInBrackets(params)}.`, closeReason(params)),
    connection_silent: ({ agent }) => `The connection to ${agent} was lost: it no longer responds.`,
    stop_ignored: ({ agent }) => `${agent} did not stop when it was asked to, so the connection was closed.`,
    message_too_large: ({ params, agent }) => `${agent} sent a message larger than ${sizeLimitOf(params)}, so the connection was closed.`,
    bad_frame: ({ params, agent }) => sentence(`${agent} broke the WebSocket protocol, so the connection was closed: ${detailOf(params)}`),
    unseen: ({ agent }) => `${agent} or ACP Host exited during the turn.`,
  },
  invalid_response: {
    wrong_shape: ({ params, agent }) => {
      const path = fact(params, 'path');
      return `${agent}'s response to ${fact(params, 'method')} has the wrong shape${path === '' ? '' : ` at "${path}"`}.`;
    },
    no_result: ({ params, agent }) => `${agent} responded to ${fact(params, 'method')} with neither a result nor an error.`,
  },
  invalid_message: {
    not_json: () => 'The message cannot be written as JSON.',
    only_text: ({ params, agent }) => `${agent} printed ${fact(params, 'lines')} lines of text and no message.`,
  },
  line_too_long: {
    answer: ({ agent }) => `${agent}'s response is too long or too deeply nested.`,
    endless_line: ({ agent }) => `${agent} sent a line that exceeds the size limit. Nothing more can be read from it.`,
  },
  request_failed: {
    stop_reason: ({ params, agent }) => `${agent} ended the turn with "${fact(params, 'stopReason')}".`,
    agent_cancelled: ({ agent }) => `${agent} canceled the turn, although nobody asked for it.`,
  },
  session_unknown: {
    refused: ({ params, agent }) => sentence(detailOf(params) || `${agent} doesn't remember this session`),
    lost: ({ agent }) => `${agent} lost this session in the middle of a turn.`,
    id_reused: ({ params, agent }) =>
      `${agent} reused the ID of this session (${fact(params, 'sessionId')}) for another one, which is open.`,
  },
  install_failed: {
    registry_format: ({ params }) => `${fact(params, 'url')} is not a list in the format of the ACP registry.`,
    unreachable: ({ params }) => sentence(`${hostOf(params)} can't be reached: ${detailOf(params)}`),
    no_answer: ({ params }) => `${hostOf(params)} did not answer in time.`,
    http_status: ({ params }) => `${fact(params, 'url')} answered with the HTTP status ${fact(params, 'status')}.`,
    redirects: ({ params }) => `${hostOf(params)} redirects too often.`,
    unsafe_source: ({ params }) => `${fact(params, 'url')} is not an https: address, so others could change what is downloaded.`,
    too_large: ({ params }) => `What ${hostOf(params)} sends is larger than ${sizeLimitOf(params)}.`,
    hash_mismatch: ({ params }) =>
      `The file that ${hostOf(params)} sent is not the published one: its SHA-256 hash is ${fact(params, 'sha256')}, and the published one is ${fact(params, 'expected')}. Don't use it, and tell those who publish it.`,
    hash_changed: ({ params }) =>
      `The file at ${fact(params, 'url')} is no longer the one that you agreed to: its SHA-256 hash is ${fact(params, 'sha256')}, and was ${fact(params, 'expected')}. If that is expected, remove the address from ${fact(params, 'path')}.`,
    archive_unsafe: ({ params }) => `The archive contains "${fact(params, 'detail')}", which leads out of its folder or is a link.`,
    archive_damaged: ({ params }) => sentence(`The archive is damaged: ${detailOf(params)}`),
    archive_too_large: () => 'The archive is too large.',
    not_listed: () => 'The registry no longer lists it.',
    no_way: () => 'The registry has nothing for this system.',
    tool_missing: ({ params }) => toolAdvice[fact(params, 'tool')] ?? `The program "${fact(params, 'tool')}" is not on the PATH.`,
    tool_failed: ({ params }) => sentence(`${fact(params, 'tool')} failed${exitInBrackets(params)}: ${detailOf(params)}`),
    no_program: ({ params }) => `It doesn't contain the program "${fact(params, 'command')}".`,
    busy: ({ params }) =>
      `It is being installed or removed by another process (${fact(params, 'pid') || 'unknown'}). Wait until that ends.`,
    disk: ({ params }) => `Writing to the disk failed: ${diskProblem(params)} (${fact(params, 'path')}).`,
  },
  unsupported: {
    sign_in: ({ agent }) => `${agent} doesn't support signing in from here.`,
    sign_out: ({ agent }) => `${agent} doesn't support signing out from here.`,
    resume: ({ agent }) => `${agent} doesn't support resuming earlier sessions.`,
    fork: ({ agent }) => `${agent} doesn't support forking sessions there.`,
    session_list: ({ agent }) => `${agent} doesn't list its sessions.`,
    session_delete: ({ agent }) => `${agent} doesn't let its sessions be deleted.`,
    session_rename: ({ agent }) => `${agent} doesn't let its sessions be renamed.`,
    stop_subagent: ({ agent }) => `${agent} doesn't let this sub-agent be stopped by itself.`,
    queue: ({ agent }) => `${agent} doesn't let messages be removed from its own queue.`,
    delivery: ({ agent }) => `${agent} doesn't accept a prompt while a turn is running.`,
    prompt_content: ({ params, agent }) => `${agent} doesn't accept ${params['blockType'] === 'audio' ? 'audio' : 'images'} in a prompt.`,
    command: ({ params, agent }) => `${agent} doesn't support ${fact(params, 'command')}.`,
    screen_command: ({ params, agent }) => screenCommandText(fact(params, 'command'), agent),
    new_session: () =>
      'Choose "New Conversation" in the editor, or start `acp-host chat` again: each conversation has a session of its own.',
    message_size: ({ params, agent }) =>
      `The message is larger than ${sizeLimitOf(params)}, which is too much to send to ${agent}. Attach less.`,
  },
  storage_failed: {
    not_saved: ({ params }) => `This conversation can't be saved right now: ${diskProblem(params)} (${fact(params, 'path')}).`,
    unsent_not_saved: ({ params }) =>
      `Drafts and unsent messages can't be saved right now: ${diskProblem(params)} (${fact(params, 'path')}).`,
    unreadable: ({ params }) => `The saved conversation can't be read: ${diskProblem(params)} (${fact(params, 'path')}).`,
    unreadable_version: ({ params }) =>
      `The saved conversation can't be read: another version of ACP Host wrote it (format ${fact(params, 'version')}; this version reads format ${fact(params, 'knownVersion')}). The file was not changed (${fact(params, 'path')}).`,
    unreadable_foreign: ({ params }) =>
      `The saved conversation can't be read: the file is not a saved conversation. It was not changed (${fact(params, 'path')}).`,
    folder_unreadable: ({ params }) =>
      `The folder of the saved conversations can't be read: ${diskProblem(params)} (${fact(params, 'path')}).`,
    left_alone: ({ params }) =>
      `This conversation can't be saved: its file is from another version of ACP Host or another program, so it was not changed (${fact(params, 'path')}).`,
  },
  changes_unknown: {
    no_git: () => 'Git was not found. Install Git to see and undo the changes of each turn.',
    git_failed: ({ params }) => sentence(detailOf(params) || 'Git failed'),
    too_slow: () => 'Git needed too long to look at the folder.',
    editor_hangs: () =>
      'An editor does not respond, so it is not known whether it has unsaved changes. Nothing was changed. Try again later.',
    folder_too_large: () => 'The folder is too large. Open a project instead of your home folder.',
    not_recorded: () => 'No changes were recorded for this turn.',
  },
  cancelled: {
    start: ({ agent }) => `The start of ${agent} was canceled.`,
    opening: () => 'Opening the session was canceled.',
    request: ({ params }) => `${fact(params, 'method')} was canceled.`,
  },
  disposed: {
    host: () => 'ACP Host was closed.',
    connection: ({ agent }) => `The connection to ${agent} was closed.`,
    conversation: () => 'The conversation was closed.',
  },
  usage: {
    sign_in_unknown: ({ agent }) => `${agent} doesn't offer this way to sign in.`,
    sign_in_in_terminal: () => 'This way to sign in requires a terminal.',
    protocol_unknown: ({ params }) => `Unknown protocol "${fact(params, 'protocol')}". Known protocols: ${listOf(params, 'known')}.`,
    protocol_needs_url: ({ params }) => `Agents that speak ${fact(params, 'protocol')} are servers: specify a URL instead of a command.`,
    protocol_needs_command: ({ params }) =>
      `Agents that speak ${fact(params, 'protocol')} are programs: specify a command instead of a URL.`,
    url_scheme: () => 'The URL of a server must start with ws:// or wss://.',
    url_secret: () => 'The URL contains a key or a password. Leave it out: keys are passed separately and never saved with the agent.',
    url_fragment: () => 'The URL of a server must not contain a # part.',
    no_home: () =>
      'The home folder of the user is unknown. Set HOME to an absolute path, or ACP_HOST_STATE to the folder for conversations.',
    no_folder: () => 'Agents work in a folder, so open one first.',
    pin_shape: () => 'A pin is "sha256/" followed by the Base64 SHA-256 hash of the public key of the certificate.',
    function_unknown: () => 'No function was found in the selection. Select a function, or some lines of one.',
    command_takes_no_text: ({ params }) => `${fact(params, 'command')} takes no text. Send the text as a message of its own.`,
    trace_version: ({ params }) =>
      `This trace has version ${fact(params, 'version')}, but this version of ACP Host reads version ${fact(params, 'knownVersion')}. Update ACP Host.`,
    trace_line: ({ params }) => `Line ${fact(params, 'line')} is not a line of a trace.`,
    trace_not_json: ({ params }) => `Line ${fact(params, 'line')} is not JSON, so this is not a trace.`,
    trace_empty: () => 'The file contains no trace.',
    engine_in_window: () => 'The engine runs in a window. Reload that window instead.',
    request_closed: () => 'The request was closed before it was answered.',
    option_unavailable: ({ params, agent }) => optionSentence(params, agent),
    option_ambiguous: ({ params }) =>
      `"${fact(params, 'value')}" fits more than one ${fact(params, 'option')}: ${listOf(params, 'offered')}. Choose one of them.`,
    option_unknown: ({ params, agent }) => {
      const offered = listOf(params, 'offered');
      const known = offered === '' ? 'It has no options.' : `It has: ${offered}.`;
      return `${agent} has no option "${fact(params, 'option')}". ${known}`;
    },
    option_refused: ({ params, agent }) =>
      sentence(`${agent} refused to set ${fact(params, 'option')} to "${fact(params, 'value')}": ${detailOf(params)}`),
    option_kept: ({ params, agent }) =>
      `${agent} did not set ${fact(params, 'option')} to "${fact(params, 'value')}". It is "${fact(params, 'current')}".`,
    command_ended: () => 'The command has ended.',
    prompt_gone: () => 'The message is no longer in the queue.',
    turn_unknown: () => 'This turn is not in the conversation.',
    nothing_interrupted: () => 'No turn was interrupted.',
    agent_not_running: ({ agent }) => `${agent} is not running.`,
    agent_bound: () => 'This conversation has messages, so it keeps its agent. Begin another one to use a different agent.',
    session_open: () => 'The session is open in a conversation. Close that conversation, then try again.',
    conversation_unknown: () => 'This conversation is not open.',
  },
  engine_lost: {
    closed: () => 'It ended, or closed the connection.',
    bad_message: () => 'It sent something that is not a message.',
    too_large: ({ params }) => `It sent a message larger than ${sizeLimitOf(params)}.`,
    disposed: () => 'The connection was closed.',
  },
  engine_failed: {
    not_started: ({ params }) => sentence(`The operating system refused to start ${fact(params, 'file')}: ${detailOf(params)}`),
    exited: ({ params }) => sentences(`It exited before it was ready${exitInBrackets(params)}.`, sentence(detailOf(params))),
    not_ready: () => 'It was not ready in time.',
    bad_answer: ({ params }) => `It printed "${detailOf(params)}" instead of a result.`,
    ended_at_once: () => 'It started several times, and ended at once each time.',
    not_listening: ({ params }) => sentence(`It can't listen at ${fact(params, 'address')}: ${detailOf(params)}`),
    unreachable: ({ params }) => sentence(`${fact(params, 'address')} can't be reached: ${detailOf(params)}`),
    impostor: ({ params }) =>
      `The program that listens at ${fact(params, 'address')} is not the one that ${fact(params, 'path')} describes. End the program or remove the file, then try again.`,
    other_machine: ({ params }) =>
      `It runs on the machine "${fact(params, 'host')}", which uses the same folder. Close ACP Host there first. If it no longer runs there, remove ${fact(params, 'path')}.`,
    unsafe_kind: ({ params }) => `${fact(params, 'path')} is not what ACP Host creates there, for example a symbolic link. ${removeAdvice}`,
    unsafe_owner: ({ params }) => `${fact(params, 'path')} belongs to another user, so ACP Host doesn't trust it. ${removeAdvice}`,
    unsafe_mode: ({ params }) => `Other users can access ${fact(params, 'path')}, so ACP Host doesn't trust it. ${removeAdvice}`,
    file_foreign: ({ params }) => `ACP Host did not write ${fact(params, 'path')}, so it was not changed. Move it away, then try again.`,
    file_newer: ({ params }) =>
      `A newer version of ACP Host wrote ${fact(params, 'path')} (format ${fact(params, 'version')}; this version reads format ${fact(params, 'knownVersion')}). It was not changed. Update ACP Host.`,
    file_unreadable: ({ params }) =>
      `${fact(params, 'path')} can't be read: ${diskProblem(params)}. Make it readable, or set ACP_HOST_STATE to another folder.`,
    folder_of_other: ({ params }) =>
      `The folder ${fact(params, 'path')} belongs to another user, so ACP Host saves nothing there. Set ACP_HOST_STATE to a folder of your own.`,
    folder_unwritable: ({ params }) =>
      `Its folder ${fact(params, 'path')} can't be written: ${diskProblem(params)}. Set ACP_HOST_STATE to another folder.`,
  },
  internal: {
    wire_not_served: () => 'A connection does not accept calls.',
    channel_read_twice: () => 'The connection is already being read.',
    session_not_begun: () => 'A session was opened but never started.',
    no_resume_method: () => 'No method to resume the session is left.',
  },
};

const removeAdvice = 'Remove it, then try again.';

/** For errors without a reason and without a detail. */
const byCode: Partial<Readonly<Record<HostErrorCode, Describe>>> = {
  handshake_timeout: ({ params, agent }) =>
    sentences(
      `${isServer(params) ? `ACP Host connected to ${agent}, but it` : `${agent} started but`} did not respond${overProtocol(params)} in time.`,
      noise(params),
    ),
  request_failed: ({ agent }) => `${agent} gave no reason.`,
  version_unsupported: ({ params, agent }) =>
    `${agent} uses version ${fact(params, 'agentVersion')} of the protocol; ACP Host uses version ${listOf(params, 'hostVersions')}.`,
  request_timeout: ({ params, agent }) =>
    `${agent} did not respond to ${fact(params, 'method')} within ${Number(params['timeoutMs']) / 1000} seconds.`,
  queue_full: ({ agent }) => `${agent} has stopped reading input, and too much is queued.`,
  session_busy: () => 'A turn is running in this session.',
  untrusted: () => 'The workspace is not trusted.',
  engine_hangs: () => 'The background process of ACP Host is not responding.',
};

/**
 * @param agent the agent's name for users
 * @returns a sentence; empty if only the code is known
 */
export function errorCause({ code, params }: HostErrorData, agent: string): string {
  const described = reasonOf(code, params.reason) ?? (params.detail === undefined ? byCode[code] : undefined);
  const text = described === undefined ? sentence(problemOf(params)) : described({ params, agent });
  const known = sentences(text, hintText(params['hint']));
  return params['circuit'] === 'open' ? sentences(known, 'It crashed repeatedly, so automatic restart is paused.') : known;
}

/** Returns the sentence for one of the reasons of `changes_unknown`. @param reason may come from elsewhere; an unknown one has none */
export function changesUnknownText(reason: string): string {
  return reasonOf('changes_unknown', reason)?.({ params: {}, agent: '' }) ?? '';
}

const hints: Readonly<Record<FailureHint['code'], (params: FailureHint['params']) => string>> = {
  refuses_root: ({ variable, value }) =>
    variable === undefined || value === undefined
      ? 'It refuses to run as root. Run it as another user.'
      : `It refuses to run as root. Run it as another user or, in a container, set the environment variable \`${variable}=${value}\` for it.`,
};

/** @param hint may come from the disk */
function hintText(hint: unknown): string {
  return isFailureHint(hint) ? hints[hint.code](hint.params) : '';
}

function isFailureHint(value: unknown): value is FailureHint {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('params' in value)) return false;
  const { code, params } = value;
  if (typeof code !== 'string' || !Object.hasOwn(hints, code) || typeof params !== 'object' || params === null) return false;
  return Object.values(params).every((value) => typeof value === 'string');
}

/** @param reason may come from the disk */
function reasonOf(code: HostErrorCode, reason: string | undefined): Describe | undefined {
  const known: Readonly<Record<string, Readonly<Record<string, Describe>>>> = byReason;
  const reasons = Object.hasOwn(known, code) ? known[code] : undefined;
  return reason !== undefined && reasons !== undefined && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
}

/** Whether the error says how the agent's process ended. */
export function isExitKnown({ params }: HostErrorData): boolean {
  return typeof params['exitCode'] === 'number' || typeof params['signal'] === 'string';
}

function exitSentence({ params, agent }: Cause): string {
  const { exitCode, signal } = params;
  if (typeof signal === 'string') return `${agent} was terminated by ${signal}.`;
  return typeof exitCode === 'number' ? `${agent} exited with code ${exitCode}.` : `${agent} closed the connection.`;
}

function overProtocol(params: ErrorParams): string {
  const protocol = fact(params, 'protocol');
  return protocol === '' ? '' : ` over the protocol "${protocol}"`;
}

function exitInBrackets({ exitCode, signal }: ErrorParams): string {
  if (typeof signal === 'string') return ` (${signal})`;
  return typeof exitCode === 'number' ? ` (exit code ${exitCode})` : '';
}

function noise(params: ErrorParams): string {
  const misfit = misfitText(params);
  if (misfit !== '') return misfit;
  const { firstNoise } = params;
  if (typeof firstNoise !== 'string') return '';
  if (isServer(params)) return serverNoise(params);
  return `On stdout, where only messages belong, it printed "${firstNoise}". Check whether the program, a wrapper script or a shell startup file prints this.`;
}

function optionSentence(params: ErrorParams, agent: string): string {
  const option = fact(params, 'option') || 'option';
  const offered = listOf(params, 'offered');
  if (offered === '') return `${agent} doesn't offer a choice of ${option}.`;
  return `"${fact(params, 'value')}" is not a ${option} of ${agent}. It offers: ${offered}.`;
}

function errorDataOf(value: unknown): HostErrorData | undefined {
  return isErrorData(value) ? value : undefined;
}

/** The value has been through JSON; only known codes and reasons are used. */
function isErrorData(value: unknown): value is HostErrorData {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('params' in value)) return false;
  return typeof value.code === 'string' && typeof value.params === 'object' && value.params !== null;
}

const inTerminal = (agent: string): string => `To use it, start ${agent} in a terminal.`;

/** What to use instead of a command of an agent's own screen. For every other command, that screen is the only place. */
const texts: Readonly<Record<string, (agent: string) => string>> = {
  settings: () => 'Use the options of the session instead, and the settings file of the agent for everything else.',
  model: () => 'Choose the model in the options of the session instead.',
  thinking: () => 'Choose the thinking level in the options of the session instead.',
  import: () => 'Open the file as a session instead: with "Open Session" in the editor, or with `acp-host chat --session FILE`.',
  share: () => 'Use /export, which saves the session as an HTML file, and share that file.',
  copy: () => 'Copy the answer here, or use /last to show it again.',
  session: () => 'Use /stats instead.',
  tree: () => 'Use /fork instead, which starts a new session that ends before one of your messages.',
  login: (agent) => `Start ${agent} in a terminal and sign in there, then restart the agent here.`,
  logout: (agent) => `Start ${agent} in a terminal and sign out there, then restart the agent here.`,
  resume: () => 'Open another conversation from the history of the editor instead, or with `acp-host chat --session ID`.',
  reload: () => 'Restart the agent instead.',
  quit: () => 'Close the conversation instead.',
};

function screenCommandText(command: string, agent: string): string {
  const instead = (Object.hasOwn(texts, command) ? texts[command] : undefined) ?? inTerminal;
  return `/${command} works only on ${agent}'s own screen. ${instead(agent)}`;
}
