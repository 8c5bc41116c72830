/** An error as the command line reports it, and what users can do about it. */
import {
  defaultProtocol,
  exampleCommandLine,
  findAgentOfCommand,
  installNameOf,
  type HostErrorCode,
  type HostErrorData,
  stripControls,
  suggestedAgent,
} from '../../core/index.js';
import { errorMessage, renewAdvice, spawnAdvice } from '../../text/errorText.js';
import { installText } from '../../text/installText.js';

export interface CliError {
  readonly code: HostErrorCode;
  /** For users, without a period at the end, and without what controls a terminal. */
  readonly message: string;
  /** The agent did not report a reason, so its stderr may explain it. */
  readonly isUnexplained?: boolean;
  /** Facts for programs. */
  readonly data: Readonly<Record<string, unknown>>;
}

const unexplained: ReadonlySet<HostErrorCode> = new Set([
  'agent_exited',
  'handshake_failed',
  'handshake_timeout',
  'spawn_failed',
  'internal',
]);

/** @param agentLabel absent if the error may be about any agent, or none */
export function toCliError(error: HostErrorData, agentLabel = 'The agent'): CliError {
  // The message contains the detail, which is text of the agent or the operating system.
  const { detail, ...data } = error.params;
  return {
    code: error.code,
    message: stripControls(errorMessage(error, agentLabel)),
    data,
    isUnexplained: unexplained.has(error.code) || detail === undefined,
  };
}

const advice: Partial<Readonly<Record<HostErrorCode, string>>> = {
  spawn_failed: 'Check that the file is a program for this machine.',
  handshake_failed: `Check that the command starts an agent that speaks ACP over stdin and stdout, e.g. \`${exampleCommandLine}\`.`,
  handshake_timeout:
    'Check that the command starts an agent that speaks ACP over stdin and stdout. If it only needs longer, for example to download something, use --start-timeout SECONDS.',
  connect_failed: 'Check that the server is running and that --url is correct.',
  key_refused: 'Pass the name of the variable that holds the key with --key-env, and check the key in it.',
  version_unsupported: 'Update the agent, or acp-host.',
  unsupported: '`acp-host run --format json` shows its capabilities in the session event.',
  provider_failed:
    "The error comes from the agent's model provider. Try again, or check the key and the model in the agent's configuration.",
  storage_failed: 'Check the folder and its permissions, or specify another folder with --state.',
  engine_hangs: '`acp-host engine stop` ends it. The conversations are saved.',
  request_timeout: 'Try again. If the error persists, run the agent on its own to see what it is waiting for.',
};

/** For errors with the URL of a server. */
const serverAdvice: Partial<Readonly<Record<HostErrorCode, string>>> = {
  handshake_failed: 'Check that the server is running, and that --url and --protocol are correct.',
  handshake_timeout: 'Check that the server is running, and that --url and --protocol are correct.',
  version_unsupported: 'Update the server, or acp-host.',
};

/** For known reasons why the server can't be connected to. */
const connectAdvice: Readonly<Record<string, string>> = {
  certificate_untrusted: 'If the certificate is the right one, pass the hash of its public key with --pin.',
  certificate_expired: `${renewAdvice} With the same key, its pin stays the same.`,
  pin_mismatch: 'If the server has a new certificate, and it is the right one, pass the hash of its public key with --pin.',
  plain_text: 'Use wss://, or a tunnel to 127.0.0.1.',
  closed: 'Check that the server is running, and that --url and --protocol are correct.',
  not_web_socket: 'Check that --url is correct.',
  not_secure: 'Check that --url is correct. Only connections to 127.0.0.1 are safe with ws://.',
  http_status: 'Check that --url is correct, with its path.',
  redirected: 'Pass the URL of the server itself with --url.',
};

/**
 * Returns lines to show after the message; none if there is nothing to do.
 * @param env of the command
 */
export function adviceFor({ code, data }: Pick<CliError, 'code' | 'data'>, env: NodeJS.ProcessEnv = {}): readonly string[] {
  if (code === 'install_failed') return data['reason'] === 'unreachable' && ignoresProxy(env) ? [proxyAdvice] : [];
  const found = String(data['found']);
  if (data['reason'] === 'other_protocol') return [`Use --protocol ${found}.`];
  if (data['reason'] === 'protocol_of_programs')
    return [`Use --protocol ${found}, and --command with the program that speaks it instead of --url.`];
  if (data['reason'] === 'no_program') return ['Check the path, and the permissions of the file.'];
  const toStart = code === 'spawn_failed' ? spawnAdvice[String(data['reason'])] : undefined;
  if (toStart !== undefined) return [toStart];
  if (fileReasons.has(data['reason'])) return [];
  if (code === 'agent_not_found') return [`${whatToInstall(data)}, or specify the full path with --command.`];
  const ofConnection = code === 'connect_failed' ? connectAdvice[String(data['reason'])] : undefined;
  const line = ofConnection ?? ('url' in data ? serverAdvice[code] : undefined) ?? ofProtocol(advice[code], data['protocol']);
  return line === undefined ? [] : [line];
}

/** The message says what the file is. Nothing is wrong with its folder. */
const fileReasons: ReadonlySet<unknown> = new Set(['unreadable_version', 'unreadable_foreign', 'left_alone']);

const proxyAdvice = "ACP Host doesn't use HTTPS_PROXY here. With Node 24 or later, set NODE_USE_ENV_PROXY=1.";

function ignoresProxy(env: NodeJS.ProcessEnv): boolean {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  return (isSet('HTTPS_PROXY') || isSet('https_proxy')) && env['NODE_USE_ENV_PROXY'] !== '1';
}

/** `command`: the program that was not found; absent if no agent is installed. */
function whatToInstall({ command, installCommand }: CliError['data']): string {
  if (typeof command !== 'string') return `Install one, for example ${suggestedAgent.label} with ${installText(suggestedAgent.install)}`;
  if (typeof installCommand === 'string') return `Install it with \`${installCommand}\``;
  const install = findAgentOfCommand(command)?.install;
  if (install !== undefined) return `Install it with ${installText(install)}`;
  const name = installNameOf(command);
  return name === undefined ? 'Check the name with `acp-host agents`' : `Install it with \`acp-host install ${name}\``;
}

function ofProtocol(line: string | undefined, protocol: unknown): string | undefined {
  return typeof protocol === 'string' && protocol !== defaultProtocol
    ? line?.replace('speaks ACP', `speaks the protocol "${protocol}"`)
    : line;
}
