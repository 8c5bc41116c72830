/** The help as text for a terminal. */
import { codeTaskKinds, defaultProtocol, protocolNames } from '../../core/index.js';
import { commands } from './parseArguments.js';
import { formats, permissionPolicies, recoveryChoices } from './optionValues.js';
import { type CommandName, commandNames } from './parseArguments.js';

/** Code is in backticks. `npm run options` writes these texts into docs/cli.md, most of them only with their first sentence. */
export const commandTexts: Readonly<Record<CommandName, { readonly operand?: string; readonly text: string }>> = {
  run: {
    operand: 'PROMPT|-',
    text: 'Start an agent, send it one prompt, show its answer, and end the agent. `-` reads the prompt from stdin, in UTF-8, or in UTF-16 with a byte order mark. You can omit the quotes around several words.',
  },
  chat: {
    text: 'Keep a conversation open, in the terminal or, with --format json, for a program. What you enter while a turn is running is queued. Ctrl+C cancels the turn; pressed again, it exits at once. Ctrl+D and `/exit` exit after the queued prompts. `/help` lists the commands, and Tab completes them; if the agent has a command of the same name, `/host:help` is that of the chat. Pasted lines are one prompt: `␤` shows where a line ends, and Enter sends it. The arrow keys bring back earlier lines, also those of earlier chats. Without a terminal, only --format json is available.',
  },
  attach: {
    operand: '[ID]',
    text: 'Join a conversation that the editor or another terminal has: show the turn that runs, from its beginning, and answer what the agent asks. Without an ID, it is the only conversation that is running or needs your input, or of several the only one in the current folder or above it. The exit code is that of the last turn, once nothing is running. Ctrl+C stops the turn; Ctrl+\\, or Ctrl+C once more, leaves it running. With --format json, this takes the commands of `chat`.',
  },
  status: {
    text: 'List the open conversations, first those that need your input, then those that are running: since when, with which agent, in which folder.',
  },
  stop: {
    operand: 'ID',
    text: 'Stop the turn of a conversation. Messages that are queued behind it return to the composer of the editor. The conversation stays open.',
  },
  changes: {
    operand: '[ID]',
    text: 'Show what the turns of a conversation changed in its folders, whatever the agent wrote with. Without an ID, it is the conversation of the current folder that was used last, or else that of the next folder above that has one. This needs Git. It leaves out what Git ignores; the content of a large file, or of one that may contain secrets, is not saved. With --format patch, it prints what `git apply -R` takes in the folder of the conversation, without what was undone.',
  },
  undo: {
    operand: '[ID]',
    text: 'Undo what a turn changed: the last one that changed something and is not undone yet, unless you choose others. It shows the files first, and asks. Lines that were changed since stay as they are, and so does a file if that is not possible; such files are named. No agent is started, and what the agent remembers stays the same. The exit code is 0 if all of it was undone, and 1 if something was left as it is.',
  },
  sessions: {
    text: 'List the saved sessions, newest first. ACP Host saves every session itself, with secrets redacted, and shares them with the editor. Conversations of the editor in which nothing was sent yet have `[not sent]` and no ID: you can continue them in the editor only. With an agent, list the sessions of this agent in the folder instead, and start it to ask for those that began elsewhere, such as in its own command line: they are marked `[agent only]`. `chat` and `run` open one of them, with its history, with --agent and --session. All saved sessions together can take up 1024 MB, and a single one 64 MB. Beyond that, the least recently used ones, or the oldest part of the single one, are removed.',
  },
  show: {
    operand: 'ID',
    text: "Print a saved session: prompts, answers, thoughts, tool calls and interruptions. The beginning of an ID is enough if it matches only one session. If an agent reused an ID, it means the newest session; the list shows the ID of the conversation for an older one. The exit code is 2 for an unknown ID, and 3 if the saved sessions can't be read.",
  },
  agents: {
    text: 'List the known agents, where each was found, and which one is the default. Then come the agents of the ACP registry that `install` can install. The list of them that ships with ACP Host is from July 2026; with --refresh, a newer one is fetched. Nothing else fetches it but `install` and `update`.',
  },
  install: {
    operand: 'NAME',
    text: 'Install an agent of the ACP registry, in the version that the registry names, into a folder of ACP Host. It shows what will be installed and from where, and asks. Packages of npm are installed with npm, those of Python with uv or pip; a download is compared with its published hash. Install scripts of packages, and a download without a hash, are questions of their own. No agent is started. Ctrl+C cancels; whatever was installed before stays as it is.',
  },
  update: {
    operand: 'NAME',
    text: 'Install the newest version of an agent that `install` installed, as `install` does. Agents that run keep their version until they start again.',
  },
  remove: {
    operand: 'NAME',
    text: 'Remove an agent that `install` installed. Its own settings and sign-in stay where the agent keeps them.',
  },
  doctor: {
    text: 'Find out what keeps an agent from working on this machine. This checks the program, what the PATH lacks compared to that of a login shell, Node, Python and uv, the settings of the agent (never the values of keys), startup files that print output, whether conversations can be saved, and how the agent responds when it starts. It sends no prompt. The exit code is 0 if there are no problems, otherwise 1.',
  },
  login: {
    text: "Sign in to an agent, in one of the ways that it offers. A key that is not in the environment is read from stdin (`acp-host login < key.txt`), or from the terminal, which doesn't show it. If the agent has a command of its own to sign in, it is shown, and then runs in your terminal. If the agent signs you in itself, for example in a browser, you see what it prints. There is no time limit; Ctrl+C cancels. A session is opened to check the result, and the exit code is 4 if you are still not signed in. If the agent doesn't save a key, you see which variable to set. `run` and `chat` sign in by themselves if exactly one of the ways uses a key that is in the environment.",
  },
  serve: {
    text: "Offer an agent, whatever protocol it speaks, as an ACP agent on stdin and stdout. In an editor that speaks ACP, enter this as the command of the agent. stderr has what the agent writes to its own stderr, with secrets redacted, and the reason if it can't start or exits. If the agent exits, so does this command. The exit codes are 0 if the editor closed the connection, 1 if it sent a message larger than 32 MB, and 2, 3 and 6.",
  },
  engine: {
    operand: '[stop]',
    text: 'Show the process that has all conversations: its version, pid, age and memory, and what keeps it running. The editor or a command starts it, and it ends some time after nobody uses it. `stop` ends it, with all agents; turns that run are interrupted, and nothing that was saved is lost.',
  },
  replay: {
    operand: 'TRACE',
    text: 'Replay a trace as an agent on stdin and stdout, for bug reports and tests. To save a trace, use Export in "ACP Host: Show Traffic". The recorded output is sent in the recorded order. Where the recorded client sent a message, this waits until the client sends the same: a request or notification with the same method, or the response to the same request. If the client sends something else, stderr reports it, and a request without a recorded response gets an error. The exit code is that of the recorded agent if it exited on its own, otherwise 0 if the trace was replayed to its end, 1 if the client disconnected earlier, and 2 for an unknown protocol.',
  },
};

/** By the option, with the form of its value. If two commands use a name with and without a value, it has two entries. */
export const optionTexts: Readonly<Record<string, string>> = {
  '--agent NAME':
    'An agent of `acp-host agents`, by default the first one of that list that is installed. The built-in agent is the default only if no other one is installed.',
  '--command "ARGV"':
    'Any other agent: a program and its arguments, separated by white space. \'…\' and "…" keep words together, and a backslash escapes the next character (on Windows, only a " inside "…"). An unclosed quote is an error. There is no shell, so variables, patterns and pipes have no effect. A relative program (`./agent`) is relative to the current folder, not to --cwd.',
  '--url URL':
    "An agent that is a server: its `ws://` or `wss://` URL. Requires --protocol. `ws://` is limited to this machine, because it doesn't encrypt anything. A URL that contains a key or a password is refused.",
  '--protocol NAME': `The protocol of --command (${protocolNames('process').join(', ')}; default: ${defaultProtocol}) or --url (${protocolNames('server').join(', ')}).`,
  '--key-env NAME':
    'The environment variable that holds the API key of the server. The key is never an argument, and ACP Host never saves, logs or shows it.',
  '--pin sha256/BASE64':
    "The hash of the public key of the server's certificate. ACP Host trusts a server with this key, even if the system doesn't trust its certificate, and no other server.",
  '--cwd DIR':
    'The folder in which the agent works, by default the current folder. With `serve`, it starts there, and its sessions work in the folders that the editor names. With `sessions`, only those of the folder are listed; without --agent, the default is every folder.',
  '--session ID':
    'Resume the session with this ID, if the agent can load or resume sessions. Unless you specify the agent, it is that of the saved session, or the default agent if no saved session has this ID. For a server, specify --url, --protocol, --key-env and --pin again.',
  '--continue':
    'Resume the most recently used session of the folder, with its agent. It may have begun in the editor. For a server, as with --session.',
  [`--recover ${recoveryChoices.join('|')}`]:
    "If the agent can't resume the session, continue in a new one, and send it the history with the first prompt (`context`) or not (`fresh`). Never happens without your choice.",
  '--mode ID, --model ID':
    "Set the agent's mode or model before the prompt. If the IDs are URLs or have the form PROVIDER/ID, the last part is enough, unless several providers have it.",
  '--set ID=VALUE':
    'Set any option of the session before the prompt, such as `thinking=high`. The value of a switch is `on` or `off`. Can be repeated. If an ID or a value is not valid, the error lists those that are.',
  [`--permission ${permissionPolicies.join('|')}`]:
    'How to answer permissions and yes-or-no questions: ask you (`ask`, the default), allow once, or reject once. You are asked in the terminal, or on stdin with --format json; text output without a terminal rejects what it would ask about. `allow` never chooses an option that allows always, and asks if no option or several options allow once. `reject` cancels a request without an option that rejects once.',
  '--answer TEXT':
    "Answer every question of the agent with this text, except yes-or-no questions and pages to open. If the agent doesn't accept the text, the question is canceled. If a permission has several options that allow once, choose the one of this name.",
  '--ask-timeout SECONDS':
    'Reject a permission once, and cancel a question, if nobody answers in time (default: 0, no limit). Never allows anything.',
  '--start-timeout SECONDS':
    'How long the agent may take to respond to its start (default: 30; 0 is no limit), for example if it must be downloaded first. Over ACP, what it writes to stderr begins this time anew, at most ten times.',
  '--mcp-config FILE':
    'Let the agent connect to the MCP servers in this file, which is like .mcp.json or .vscode/mcp.json. `${env:NAME}` and `${NAME}` stand for environment variables, so that the file needs no keys; the value of `${input:api-key}` is in INPUT_API_KEY.',
  '--add-dir FOLDER': 'Let the agent work in this folder, too, if it supports several. Repeat the option for more.',
  '--system-prompt TEXT':
    'Give the agent these instructions in addition to its own, if it takes any. When you continue the conversation, give them again.',
  '--resend': 'Resend the prompt, once, if its turn was interrupted and the agent is back. Otherwise, no prompt is ever sent twice.',
  '--detach':
    'Print the ID of the conversation, and exit as soon as the prompt is on its way. The turn goes on, and waits when the agent asks something: see `attach`, `status` and `stop`.',
  '--last': 'The conversation that was used last, in any folder, whether or not something runs in it.',
  '--all': 'With `stop`, every conversation; with `undo`, every turn; with `sessions`, the sessions of every folder.',
  '--search TEXT':
    'Only the sessions with these words, in any order, in the title or in what you or the agent wrote, a command or the path of a file. The row ends with the last place; `show` prints all of the session.',
  '--delete ID':
    'Delete a session that began elsewhere permanently, if the agent lets its sessions be deleted. Asks first; with `--yes`, it takes the whole ID.',
  '--turn N': 'Only this turn of the conversation, counted from 1.',
  '--yes':
    'Undo, install, or delete without asking, which is required without a terminal; `install` and `update` then also run install and build scripts, and accept a download without a published hash.',
  '--refresh': 'Fetch the ACP registry first.',
  '--watch': 'Go on, and show each change, until you press Ctrl+C.',
  '--prompt':
    'Print one short line, such as `2 running, 1 needs input`, for the prompt of a shell or a status line; nothing if nothing runs.',
  '--task NAME': `In place of a prompt, a task on code: ${codeTaskKinds.map((kind) => `\`${kind}\``).join(', ')}. For agents that offer it.`,
  '--file PATH':
    'With `run`, the file for --task, relative to the current folder; with `undo`, only this file, relative to the folder of the conversation. With `undo`, it can be repeated, and a file that you also saved during the turn must be named.',
  '--range L1:C1-L2:C2':
    "The code for --task; lines and columns count from 1 (UTF-16), and the end is exclusive. If the file or the range doesn't exist, nothing is sent.",
  '--language en|zh': 'The language of the answer to --task.',
  '--selected-text-as string|object':
    'How `optimize` and `fix` send the code: its text alone (default), or with its file and range. If the server expects the other form, you see its error, and the code is not sent again.',
  '--session': 'Also open a session, which shows whether a key or a sign-in is missing, and lists the ways to sign in with their IDs.',
  '--method ID':
    'The way to sign in, by its ID or name. If there are several, and you choose none, you are asked; without a terminal, they are listed, and the exit code is 2.',
  '--sign-out': 'Sign out of the agent instead, if it supports that.',
  '--sign-in ID': 'Sign in, as `login` does with --method, instead of serving.',
  '--process N': 'Which process of a trace to replay, counted from 1 (default: the one with the most messages).',
  '--state DIR': 'The folder for saved sessions, in place of `ACP_HOST_STATE`.',
  [`--format ${formats.join('|')}`]:
    'Print text (default) or JSON lines, which docs/cli.md describes. `show` can also print `md`, Markdown, and `changes` can print `patch`.',
};

/** By exit code. Other commands than `run` and `chat` use those that apply. */
export const exitCodeTexts: Readonly<Record<string, string>> = {
  0: 'The turn ended.',
  1: 'The agent responded to the prompt with an error, `undo` left something as it is, an agent could not be installed, or stdout could not be written.',
  2: 'Invalid usage, or an option that the agent refuses to set.',
  3: "The agent did not start: not found, not spawned, no handshake, no common version or no session. Or the connection to a server failed: no answer, a redirect, no WebSocket, or a certificate that is neither trusted nor pinned. Or the engine, or the folder of the saved conversations, can't be used.",
  4: 'The agent requires you to sign in (see `acp-host login`), or a server refused the key.',
  5: 'The turn ended with a refusal or at a limit.',
  6: 'The agent exited unexpectedly, or the connection to it was lost, and the turn was interrupted.',
  130: 'Canceled. Ctrl+C (SIGINT) asks the agent to stop, and waits for the end of the turn. Pressed again, it kills the agent and everything that it started.',
  '143, 129': 'SIGTERM or SIGHUP ended acp-host and the agent.',
};

export const variableTexts: Readonly<Record<string, string>> = {
  ACP_HOST_STATE:
    'The folder for saved sessions and for the lines that you type in chats. The editor shares it: set it for both or for neither. A relative path is one in your home folder. Default: `~/.local/state/acp-host` (or `$XDG_STATE_HOME/acp-host` if that is absolute), on macOS `~/Library/Application Support/acp-host`, on Windows `%LOCALAPPDATA%\\acp-host`.',
  ACP_HOST_REGISTRY:
    'The URL of the list of agents that can be installed, in place of the public ACP registry: `https:`, or `http:` on this machine. Packages come from the registries for which npm, uv and pip are set up.',
  ACP_HOST_QUIET_SECONDS: 'After how many seconds without output a working agent is reported as silent (default: 20).',
  NODE_USE_ENV_PROXY: 'With Node 24 or later, `1` makes the commands that download something use the proxy in `HTTPS_PROXY`.',
  NO_COLOR: 'Turns colors off in a terminal, as `TERM=dumb` does. Other output never has colors.',
};

const columns = 80;
/** Where texts begin. A longer name has a line of its own. */
const textColumn = 24;

/** @param command whose options to show; undefined for the overview */
export function helpText(command?: CommandName): string {
  return command === undefined ? overview() : helpOf(command);
}

function overview(): string {
  return [
    'Usage: acp-host COMMAND [options]\n',
    section('Commands', Object.fromEntries(commandNames.map((name) => [usageOf(name), firstSentence(commandTexts[name].text)]))),
    '`acp-host COMMAND --help` describes a command and its options.\n`acp-host --version` prints the version.\n',
    section('Exit codes', exitCodeTexts),
    section('Environment variables', variableTexts),
  ].join('\n');
}

function helpOf(command: CommandName): string {
  const options = Object.entries(optionTexts).filter(([option]) => hasOption(command, option));
  return [
    `Usage: acp-host ${usageOf(command, options.length === 0 ? '' : '[options] ')}\n`,
    `${wrapped(commandTexts[command].text, columns).join('\n')}\n`,
    ...(options.length === 0 ? [] : [section('Options', Object.fromEntries(options))]),
    'The exit codes and environment variables are in `acp-host --help`.\n',
  ].join('\n');
}

/** The command with its operand. */
export function usageOf(command: CommandName, options = ''): string {
  return `${command} ${options}${commandTexts[command].operand ?? ''}`.trimEnd();
}

/** @param option one of `optionTexts`. An entry without a value is that of a switch. */
export function hasOption(command: CommandName, option: string): boolean {
  const type = /--\S+ /.test(option) ? 'string' : 'boolean';
  const options: Readonly<Record<string, { readonly type: string }>> = commands[command].options;
  return [...option.matchAll(/--([a-z-]+)/g)].every(([, name = '']) => options[name]?.type === type);
}

/** What a list says; the rest is for people who use the command or option. */
export function firstSentence(text: string): string {
  return text.replace(/(?<=\.) .*/, '');
}

function section(title: string, entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).flatMap(([name, text]) => {
    const [first = '', ...others] = wrapped(text, columns - textColumn).map((line) => ' '.repeat(textColumn) + line);
    const start = `  ${name}`;
    return start.length < textColumn - 1 ? [start + first.slice(start.length), ...others] : [start, first, ...others];
  });
  return `${title}:\n${lines.join('\n')}\n`;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && line.length <= width) lines.splice(-1, 1, line);
    else lines.push(word);
  }
  return lines;
}
