/** The sentences for the findings of diagnostics. */
import type { Finding, Findings, HostErrorCode, HostErrorData, ProviderFacts, ToolFacts } from '../core/index.js';
import { errorCause } from './errorCause.js';
import { diskProblem } from './errorFacts.js';
import { describeError, errorMessage, renewAdvice } from './errorText.js';
import { engineFactsText, engineKeptText, enginePlaceText } from './engineText.js';
import { counted } from './sentence.js';

export interface FindingText {
  /** One line. */
  readonly title: string;
  /** Further lines: paths, versions, text of other programs. */
  readonly detail?: string;
  /** What to do about it. Every warning and problem has advice. */
  readonly advice?: string;
}

/** Where the findings are shown: advice names what the user can choose there. */
export type FrontEnd = 'editor' | 'terminal';

const describe: { readonly [C in keyof Findings]: (params: Findings[C], frontEnd: FrontEnd) => FindingText } = {
  agent_found: ({ agent, command, commandLine }) => ({ title: `${agent}: \`${command}\` was found`, detail: commandLine }),
  agent_is_server: ({ agent, url, protocol }) => ({ title: `${agent} is a server that speaks ${protocol}`, detail: url }),
  agent_needs_shell: ({ agent, command, path }, frontEnd) => ({
    title: `${agent}: \`${command}\` is a script that can't be started without a shell`,
    detail: path,
    advice: commandAdvice[frontEnd].needsShell,
  }),
  agent_in_terminal_only: ({ agent, command, path }, frontEnd) => ({
    title: `${agent}: \`${command}\` was not found`,
    detail: `In a ${frontEnd === 'terminal' ? 'login shell' : 'terminal'} it is ${path}`,
    advice: commandAdvice[frontEnd].inTerminalOnly,
  }),
  agent_missing: ({ agent, command, installCommand }, frontEnd) => ({
    title: `${agent}: \`${command}\` was not found`,
    advice:
      installCommand === undefined
        ? 'Install it, or correct its command.'
        : `Install it with \`${installCommand}\`, or ${commandAdvice[frontEnd].setPath}.`,
  }),
  shell_silent: ({ shell }) => ({
    title: `The login shell (${shell}) did not return its environment in time`,
    advice:
      "Its startup files may be waiting for something. If only these files add a program to the PATH, ACP Host can't find it when you start the editor from an icon.",
  }),
  shell_quiet: ({ shell }) => ({ title: `The login shell (${shell}) starts without output` }),
  shell_noisy: ({ shell, output }) => ({
    title: `The startup files of ${shell} print output`,
    detail: output,
    advice:
      'If a script starts the agent through this shell, these lines appear among its messages. Print only in interactive shells: [[ $- == *i* ]] && …',
  }),
  path_complete: () => ({ title: 'The PATH has every folder that a terminal has' }),
  path_incomplete: ({ missing }) => ({
    title: `The PATH lacks ${missing.length === 1 ? 'a folder' : counted(missing.length, 'folder')} that a terminal has`,
    detail: missing.join('\n'),
  }),
  tools: ({ tools }) => ({ title: 'Tools for installing agents', detail: tools.map(toolLine).join('\n') }),
  storage_writable: ({ path }) => ({ title: 'Conversations can be saved', detail: path }),
  storage_not_writable: ({ path, error }) => ({
    title: "Conversations can't be saved",
    detail: `${path}: ${diskProblem(error.params)}`,
    advice: 'Free up disk space, or make the folder writable.',
  }),
  engine_running: (engine) => ({
    title: `The engine runs ${enginePlaceText(engine)}`,
    detail: `${engineFactsText(engine, Date.now())}\n${engineKeptText(engine)}`,
  }),
  engine_not_running: () => ({ title: 'The engine starts when it is needed' }),
  engine_unreachable: ({ error }) => ({
    title: "The engine, which has the conversations, can't be reached",
    detail: errorMessage(error, 'The agent'),
    // What helps is in the cause of the others.
    ...(error.code !== 'engine_failed' && { advice: describeError(error, { agent: 'The agent' }).text }),
  }),
  workspace_trusted: () => ({ title: 'The workspace is trusted' }),
  workspace_untrusted: () => ({
    title: 'The workspace is not trusted, so no agent is started',
    advice: 'Trust it with the command "Workspaces: Manage Workspace Trust".',
  }),
  handshake_answered: (answer) => ({ title: answered(answer) }),
  handshake_slow: (answer) => ({
    title: answered(answer),
    advice: `${answer.agent} starts slowly. Everything works, but the first message waits for it. The usual causes are a virus scanner or a slow disk.`,
  }),
  handshake_noise: ({ agent, lines }) => ({
    title: `${agent} prints lines that are not messages`,
    detail: lines.join('\n'),
    advice: 'They are skipped. Its log output belongs on stderr; a wrapper script should print nothing.',
  }),
  handshake_failed: ({ agent, error, lines, stderrTail, exampleCommand }, frontEnd) => ({
    title: `${agent} did not start`,
    detail: [errorMessage(error, agent), ...lines, stderrTail].filter((line) => line !== '').join('\n'),
    advice:
      error.params.reason === 'other_protocol'
        ? 'Correct its protocol.'
        : exampleCommand === undefined
          ? serverAdvice(error, frontEnd)
          : (startAdvice[error.code] ??
            `Check that the command and its arguments start an agent that speaks ACP over stdin and stdout, e.g. \`${exampleCommand}\`.`),
  }),
  session_opened: ({ agent, tookMs }) => ({ title: `${agent} opened a session after ${(tookMs / 1000).toFixed(1)} s` }),
  session_needs_sign_in: ({ agent, error, signIn }, frontEnd) => ({
    title: `${agent} needs you to sign in`,
    detail: [errorMessage(error, agent), ...(signIn.length === 0 ? [] : [`Ways to sign in: ${signIn.join(', ')}`])].join('\n'),
    advice: signInAdvice[frontEnd],
  }),
  session_failed: ({ agent, error, stderrTail }) => ({
    title: `${agent} did not open a session`,
    detail: [errorMessage(error, agent), stderrTail].filter((line) => line !== '').join('\n'),
    advice: 'Check its key, its model and its configuration.',
  }),
  conversation_blocked: ({ agent, error, stderrTail }) => ({
    title: describeError(error, { agent }).title,
    detail: [errorMessage(error, agent), stderrTail].filter((line) => line !== '').join('\n'),
    advice: 'Choose what to do on the card at the top of the chat.',
  }),
  capabilities: (capabilities) => ({ title: 'Agent capabilities', detail: table(capabilities) }),
  provider_configured: (facts) => ({ title: `${facts.agent} has a key, a base URL and a model`, detail: providerDetail(facts) }),
  provider_own_login: (facts) => ({ title: `${facts.agent} uses its own login`, detail: providerDetail(facts) }),
  provider_incomplete: (facts) => ({
    title: `${facts.agent} has a key without ${facts.missing.join(' and ')}`,
    detail: providerDetail(facts),
    advice: `Also set ${facts.missing.join(' and ')}, or remove the key so that ${facts.agent} uses its own login.`,
  }),
  provider_missing: (facts) => ({
    title: `No key was found for ${facts.agent}`,
    detail: providerDetail(facts),
    advice: `Sign in with \`${facts.loginCommand}\` in a terminal, or set an API key.`,
  }),
};

export function findingText(finding: Finding, frontEnd: FrontEnd): FindingText {
  return describeWith(finding, frontEnd);
}

/** @param finding its code and params belong together */
function describeWith<C extends keyof Findings>(
  { code, params }: { readonly code: C; readonly params: Findings[C] },
  frontEnd: FrontEnd,
): FindingText {
  return describe[code](params, frontEnd);
}

/** Returns a sentence with the number of problems. */
export function verdictText(findings: readonly Finding[]): string {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? 'No problems found.' : `${counted(problems, 'problem')} found.`;
}

const versionAdvice = 'Update the agent or ACP Host, whichever is older.';

const startAdvice: Partial<Readonly<Record<HostErrorCode, string>>> = {
  agent_not_found: 'Install it, or correct its command.',
  handshake_timeout:
    'Run the command on its own in a terminal: an agent waits for input without printing anything. If it asks something, answer it there first.',
  version_unsupported: versionAdvice,
};

const commandAdvice: Readonly<Record<FrontEnd, Readonly<Record<'needsShell' | 'inTerminalOnly' | 'setPath', string>>>> = {
  editor: {
    needsShell: 'Set the command of the agent to the program that the script starts.',
    inTerminalOnly: 'Set the command of the agent to this path, or start the editor from that terminal.',
    setPath: 'set its path',
  },
  terminal: {
    needsShell: 'Specify the program that the script starts with --command.',
    inTerminalOnly: 'Specify this path with --command, or add its folder to the PATH.',
    setPath: 'specify its full path with --command',
  },
};

const signInAdvice: Readonly<Record<FrontEnd, string>> = {
  editor: 'Choose Sign In in the chat, or set an API key.',
  terminal: 'Sign in with `acp-host login`, or set an API key.',
};

const keyAdvice: Readonly<Record<FrontEnd, string>> = {
  editor: 'Choose Set API Key in the chat, and enter the key for this server.',
  terminal: 'Pass the name of the variable that holds the key with --key-env, and check the key in it.',
};

const trustAdvice: Readonly<Record<FrontEnd, string>> = {
  editor: 'If it is the right server, choose Trust Server in the chat.',
  terminal: 'If the certificate is the right one, pass the hash of its public key with --pin.',
};

function serverAdvice({ code, params }: HostErrorData, frontEnd: FrontEnd): string {
  if (code === 'key_refused') return keyAdvice[frontEnd];
  if (code === 'version_unsupported') return versionAdvice;
  switch (params.reason) {
    case 'certificate_untrusted':
    case 'pin_mismatch':
      return trustAdvice[frontEnd];
    case 'certificate_expired':
      return renewAdvice;
    case 'plain_text':
      return 'Use wss://, or a tunnel to 127.0.0.1.';
    default:
      return 'Check that the server is running, and that its URL and protocol are correct.';
  }
}

function toolLine({ name, path, version, error }: ToolFacts): string {
  if (path === undefined) return `${name}: not found`;
  if (error !== undefined) return `${name}: ${errorCause(error, name)}`;
  return `${name}: ${version || 'no version'} (${path})`;
}

function answered({ name, version, tookMs }: Findings['handshake_answered']): string {
  return `${version === undefined ? name : `${name} ${version}`} responded after ${(tookMs / 1000).toFixed(1)} s`;
}

function table(capabilities: Findings['capabilities']): string {
  const offers = (yes: boolean): string => (yes ? 'yes' : 'no');
  const rows: readonly (readonly [string, string])[] = [
    ['protocol version', String(capabilities.protocolVersion)],
    ['load a session', offers(capabilities.load)],
    ['resume a session', offers(capabilities.resume)],
    ['images in a prompt', offers(capabilities.image)],
    ['audio in a prompt', offers(capabilities.audio)],
    ['file contents in a prompt', offers(capabilities.resource)],
    ['MCP over HTTP', offers(capabilities.mcpHttp)],
    ['MCP over SSE', offers(capabilities.mcpSse)],
    ['ways to sign in', capabilities.signIn.join(', ') || 'none'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function providerDetail({ variables, loginFile, hasLogin, hasDotEnv }: ProviderFacts): string {
  return [
    `Environment: ${variables.map(({ name, isSet }) => `${name} ${isSet ? 'set' : 'not set'}`).join(', ')}`,
    `Its own login (${loginFile}): ${hasLogin ? 'found' : 'none'}`,
    ...(hasDotEnv ? ['The folder has a .env file, which provides what the environment does not set'] : []),
  ].join('\n');
}
