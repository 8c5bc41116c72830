/** The text for every failure: what happened, why if known, and what to do. The only place that turns an error code into language. */
import type { ButtonView } from '../../contract/view.js';
import { findAgentOfCommand, type HostErrorCode, type HostErrorData } from '../../core/index.js';
import { buttons } from './buttons.js';

export interface ErrorText {
  readonly title: string;
  readonly text: string;
  /** A command to copy that may help. */
  readonly command?: string;
  /** The likeliest first. */
  readonly buttons: readonly ButtonView[];
}

type Describe = (error: HostErrorData, agent: string) => ErrorText;

const describe: Readonly<Record<HostErrorCode, Describe>> = {
  agent_not_found: (error, agent) => {
    const command = fact(error, 'command') ?? fact(error, 'file') ?? agent;
    const title = `${agent} could not start: \`${command}\` was not found`;
    const known = findAgentOfCommand(command);
    if (known?.install === undefined)
      return {
        title,
        text: 'Install it or correct its command in the settings.',
        buttons: [buttons.settings, buttons.checkAgain, buttons.selectAgent, buttons.doctor],
      };
    return {
      title,
      text: `Install ${known.label} with this command in a terminal, or set its path.`,
      command: known.install.command,
      buttons: [buttons.copyInstall, buttons.checkAgain, buttons.settings, buttons.selectAgent, buttons.doctor],
    };
  },
  spawn_failed: (error, agent) => ({
    title: `${agent} could not start`,
    text: `The operating system refused to run it: ${sentence(error.message)} Check its command and its permissions.`,
    buttons: [buttons.settings, buttons.checkAgain, buttons.doctor, buttons.log],
  }),
  handshake_failed: (error, agent) => ({
    title: `${agent} started but did not answer properly`,
    text: `${sentence(error.message)} Check its arguments; its output is in the log.`,
    buttons: [buttons.checkAgain, buttons.doctor, buttons.log, buttons.settings],
  }),
  handshake_timeout: (error, agent) => ({
    title: `${agent} started but did not answer in time`,
    text:
      typeof error.data['firstNoise'] === 'string'
        ? `It printed "${error.data['firstNoise']}" instead of a protocol message: the command is not an ACP agent, or something else writes to its output.`
        : 'It may still be loading, or the command is not an ACP agent. You can change the time limit in the settings.',
    buttons: [buttons.checkAgain, buttons.doctor, buttons.log, buttons.settings],
  }),
  version_unsupported: (_, agent) => ({
    title: `${agent} uses a protocol version that this extension doesn't support`,
    text: 'Update the agent or the extension, whichever is older.',
    buttons: [buttons.checkAgain, buttons.selectAgent],
  }),
  auth_required: (error, agent) => ({
    title: `${agent} needs you to sign in`,
    text: `${sentence(error.message)} Your message will be sent after you sign in.`,
    buttons: [buttons.signIn, buttons.setApiKey, buttons.log],
  }),
  agent_exited: (error, agent) => ({
    title: exitText(error, agent),
    text:
      error.data['circuit'] === 'open'
        ? 'It crashed repeatedly, so automatic restart is paused. Choose Restart to resume.'
        : `The conversation is saved. Restart starts ${agent} again and resumes it.`,
    buttons: [buttons.restart, buttons.log],
  }),
  request_timeout: (error, agent) => ({
    title: `${agent} did not answer in time`,
    text: `${sentence(error.message)} Try again, or restart it.`,
    buttons: [buttons.retry, buttons.restart, buttons.log],
  }),
  request_failed: (error, agent) => ({
    title: `${agent} reported an error`,
    text: sentence(error.message),
    buttons: [buttons.retry, buttons.log],
  }),
  provider_failed: (error) => ({
    title: 'The model provider reported an error',
    text: sentence(fact(error, 'providerMessage') ?? error.message),
    buttons: [buttons.retry, buttons.log],
  }),
  invalid_response: (error, agent) => ({
    title: `${agent} sent an invalid response`,
    text: `${sentence(error.message)} This is a bug in the agent; see the log for details.`,
    buttons: [buttons.retry, buttons.log],
  }),
  invalid_message: (error, agent) => ({
    title: `${agent} sent an invalid message`,
    text: `${sentence(error.message)} It was ignored.`,
    buttons: [buttons.log],
  }),
  line_too_long: (error, agent) => ({
    title: `${agent} sent a message that is too large`,
    text: `${sentence(error.message)} The message was ignored.`,
    buttons: [buttons.log],
  }),
  queue_full: (_, agent) => ({
    title: `${agent} is not responding`,
    text: 'It has stopped reading input. Restart it; the conversation is saved.',
    buttons: [buttons.restart, buttons.log],
  }),
  session_unknown: (_, agent) => ({
    title: `${agent} doesn't remember this conversation`,
    text: 'The agent has no saved copy of it.',
    buttons: [buttons.continueWithContext, buttons.startFresh, buttons.log],
  }),
  session_busy: (_, agent) => ({
    title: `${agent} is still busy with the last turn`,
    text: 'Wait until it ends or stop it, then try again.',
    buttons: [buttons.stop, buttons.retry],
  }),
  unsupported: (error, agent) => ({
    title: `${agent} doesn't support this`,
    text: sentence(error.message),
    buttons: [buttons.log],
  }),
  untrusted: (_, agent) => ({
    title: 'This workspace is not trusted',
    text: `${agent} runs programs and changes files, so it starts only in a workspace that you trust. Trust it with the command "Workspaces: Manage Workspace Trust".`,
    buttons: [],
  }),
  storage_failed: (error) => ({
    title: 'The conversation could not be saved or read',
    text: `${sentence(error.message)} Check the free space and the permissions of the editor's storage folder.`,
    buttons: [buttons.log],
  }),
  cancelled: () => ({ title: 'Stopped', text: 'It was stopped before it finished.', buttons: [buttons.retry] }),
  disposed: () => ({ title: 'Closed', text: 'The conversation was closed before this finished.', buttons: [buttons.newSession] }),
  usage: (error) => ({
    title: "This action isn't available",
    text: sentence(error.message),
    buttons: [buttons.settings, buttons.selectAgent],
  }),
  internal: (error) => ({
    title: 'ACP Host hit an internal error',
    text: `${sentence(error.message)} See the log for details.`,
    buttons: [buttons.retry, buttons.log],
  }),
};

/** @param agent the agent's name for people */
export function errorText(error: HostErrorData, agent: string): ErrorText {
  return describe[error.code](error, agent);
}

/** Whether it is known how the agent ended. Otherwise it may as well have been the window that went away. */
export function isExitKnown({ data }: HostErrorData): boolean {
  return typeof data['exitCode'] === 'number' || typeof data['signal'] === 'string';
}

const crashes: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']);

function exitText({ data: { exitCode, signal, requested } }: HostErrorData, agent: string): string {
  if (requested === true) return `${agent} was stopped`;
  if (typeof exitCode === 'number') return `${agent} exited (code ${exitCode})`;
  if (typeof signal !== 'string') return `${agent} exited`;
  return `${agent} ${crashes.has(signal) ? 'crashed' : 'was killed'} (${signal})`;
}

function fact(error: HostErrorData, name: string): string | undefined {
  const value = error.data[name];
  return typeof value === 'string' ? value : undefined;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  return /[.!?…\])]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
