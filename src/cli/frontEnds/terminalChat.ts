/** A chat with a user: one line at the bottom of the terminal, for prompts, answers and choices. */
import type { AgentName } from '../system/agents.js';
import type { ChatCommands, ChatFrontEnd, ChatState } from './frontEnd.js';
import {
  type AgentDefinition,
  type AvailableCommand,
  createFileAccess,
  type Disposable,
  optionName,
  type OptionWish,
  revealHidden,
  type SessionOption,
  stateFolder,
  valuesOf,
} from '../../core/index.js';
import { raiseInterrupt } from '../system/interrupts.js';
import { type Io, isColored } from '../system/io.js';
import { LineEditor, openLineHistory, PROMPT } from '../input/lineEditor.js';
import type { RecoveryOffer } from '../output/output.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Screen } from '../output/screen.js';
import { terminalRequests } from '../input/terminalPrompt.js';
import { oneLine } from '../../text/plainText.js';
import { paintFor } from '../output/terminalText.js';
import { createTextOutput } from '../output/textOutput.js';

/** In the order of the help. */
const ownCommands = {
  mode: 'list the modes, or set one: /mode ID',
  model: 'list the models, or set one: /model ID',
  set: "list the agent's options, or set one: /set ID VALUE",
  steer: 'tell the agent something in the middle of its turn: /steer TEXT',
  followup: "put a prompt into the agent's own queue: /followup TEXT",
  login: 'sign in to the agent, and send what waits for it: /login METHOD',
  retry: 'after you signed in elsewhere, restart the agent, and send what waits',
  changes: 'list the files that the last turn changed',
  undo: 'undo what the last turn changed',
  help: 'list the commands',
  exit: 'exit after the queued prompts, like Ctrl+D',
} as const;

type OwnCommand = keyof typeof ownCommands;
const needText: readonly OwnCommand[] = ['steer', 'followup'];
const standAlone: readonly OwnCommand[] = ['changes', 'undo', 'help', 'exit'];
const haveOneLine: readonly OwnCommand[] = ['login', 'retry'];
const ownNames = Object.keys(ownCommands).filter(isOwnName);

/** Before the name of a command of the host, which may be that of a command of the agent, too. */
const ownPrefix = 'host:';

function isOwnName(name: string): name is OwnCommand {
  return Object.hasOwn(ownCommands, name);
}

/** Returns what to type for a command of the host. */
function callOf(name: OwnCommand, agentCommands: readonly AvailableCommand[]): string {
  const isTheirs = agentCommands.some((command) => command.name === name);
  return `/${isTheirs ? ownPrefix : ''}${name}`;
}

interface TypedCommand {
  readonly name: OwnCommand;
  /** What follows the name. */
  readonly words: string;
}

/** Returns the command of the host in a line. If the agent has one with the same name, that one takes precedence, unless there is the prefix. */
function ownCommandIn(line: string, agentCommands: readonly AvailableCommand[]): TypedCommand | undefined {
  const [, prefix, name = '', words = ''] = /^\/(host:)?(\w+)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  if (!isOwnName(name) || (prefix === undefined && callOf(name, agentCommands) !== `/${name}`)) return undefined;
  // Otherwise, it is text that begins like a command.
  const others = words === '' ? needText : words.includes('\n') ? [...standAlone, ...haveOneLine] : standAlone;
  return others.includes(name) ? undefined : { name, words };
}

/** The commands that a line may become, each with the space that follows it. */
function completionsOf(line: string, agentCommands: readonly AvailableCommand[]): readonly string[] {
  const theirs = agentCommands.map(({ name }) => name).filter((name) => /^[\w:.-]+$/.test(name));
  return [...ownNames.map((name) => callOf(name, agentCommands)), ...theirs.map((name) => `/${name}`)]
    .map((command) => `${command} `)
    .filter((command) => line.startsWith('/') && command.startsWith(line));
}

/** @returns one line per command, the host's before the agent's */
function helpLines(agentCommands: readonly AvailableCommand[]): readonly string[] {
  const own = ownNames.map((name) => [callOf(name, agentCommands), ownCommands[name]] as const);
  const theirs = agentCommands.map(({ name, description }) => [`/${oneLine(name, 40)}`, oneLine(description, 100)] as const);
  const all = [...own, ...theirs];
  const width = Math.max(...all.map(([call]) => call.length));
  return all.map(([call, description]) => `  ${call.padEnd(width)}  ${description}`);
}

export function terminalFrontEnd(
  { permission, state: givenState }: RequestOf<'chat'>,
  definition: AgentDefinition,
  cwd: string,
  io: Io,
): ChatFrontEnd {
  const agent: AgentName = { label: definition.label };
  const paint = paintFor(isColored(io.stderr, io.env));
  const screen: Screen = new Screen(io, (write) => editor.around(write));
  const call = (name: OwnCommand): string => callOf(name, commands?.agentCommands() ?? []);
  const undoHint = (): string => call('undo');
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask', undoHint, stopHint: 'Press Ctrl+C to stop it.' });
  const requests = terminalRequests({
    screen,
    cwd,
    files: 'url' in definition ? undefined : createFileAccess(cwd),
    agent,
    paint,
    columns: () => io.stderr.columns,
    settle(draw, onQuiet) {
      editor.hide();
      draw();
      return editor.settle(onQuiet);
    },
    prompt: (question) => (question === undefined ? present() : editor.ask(question)),
  });
  const history = openLineHistory(stateFolder(givenState, io), io.env);
  let commands: ChatCommands | undefined;
  /** What was typed before the conversation was there. */
  let early: readonly ((to: ChatCommands) => void)[] = [];
  let state: ChatState = { type: 'running' };
  let isGreeted = false;
  /** The user was told what ends with the chat. */
  let isExiting = false;
  /** The user is editing the interrupted prompt. */
  let isEditing = false;
  /** The question for the current state is not visible yet. */
  let settling: Disposable | undefined;

  /** Shows the line for the current state while the agent asks nothing. */
  const rest = (): void => {
    switch (state.type) {
      case 'running':
        return editor.hide();
      case 'idle':
      case 'blocked':
        return editor.edit();
      case 'interrupted':
        return isEditing ? editor.ask(PROMPT, state.prompt) : editor.ask('Press r to resend it, e to edit it first, s to skip it: ');
      case 'refused':
        return editor.ask(`Your choice (${state.offer.context === undefined ? '1-2' : '1-4'}): `);
      case 'gone':
        return editor.ask('Press Enter to restart the agent, Ctrl+D to exit: ');
    }
  };

  /** Shows the line for the current state. If that is a question, input from before it is visible does not answer it. */
  const present = (): void => {
    settling?.dispose();
    settling = undefined;
    if (!isQuestion(state)) return rest();
    editor.hide();
    const onQuiet = (): void => {
      settling = undefined;
      rest();
    };
    settling = editor.settle(onQuiet, { endCounts: true });
  };

  /** Text that does not answer the question of the current state was meant as a prompt. A single character was a slip. */
  const keep = (text: string): boolean => {
    const isText = isQuestion(state) && text.trim().length > 1 && !(isEditing && state.type === 'interrupted' && text === state.prompt);
    if (isText) editor.keep(text);
    return isText;
  };

  const reject = (line: string): void => {
    screen.line(keep(line) ? 'Not a valid choice. Your text comes back to the line afterwards.' : 'Not a valid choice.');
    rest();
  };

  const choose = (line: string, offer: RecoveryOffer): void => {
    const choice = recoveryChoices(offer)[Number(line.trim()) - 1];
    screen.lineTyped();
    switch (choice?.what) {
      case 'context':
      case 'fresh':
        editor.hide();
        return void commands?.recover(choice.what);
      case 'show':
        screen.line(revealHidden(offer.context?.text ?? ''));
        return rest();
      case 'exit':
        return commands?.end();
      case undefined:
        return reject(line);
    }
  };

  /** These are letters, so that a number that was meant as an answer to the agent chooses nothing. */
  const afterInterruption = (line: string): void => {
    const choice = isEditing ? 'edited' : line.trim().toLowerCase();
    if (choice === 'e') {
      isEditing = true;
      return rest();
    }
    if (choice !== 'edited' && choice !== 'r' && choice !== 's') {
      screen.lineTyped();
      return reject(line);
    }
    editor.hide();
    if (choice === 's' || (isEditing && line.trim() === '')) commands?.skip();
    else commands?.resend(isEditing ? line : undefined);
  };

  /** Asks once before it ends what goes on after the turn. */
  const exit = (from: ChatCommands): void => {
    const late = from.lateWork();
    if (late === undefined || isExiting) return from.end();
    isExiting = true;
    screen.line(`${oneLine(late, 300)}, and ends with this chat. To exit anyway, type ${call('exit')} again.`);
    rest();
  };

  const runOwn = ({ name, words }: TypedCommand, to: ChatCommands): void => {
    const say = (work: Promise<string | undefined>): void =>
      void work.then((text) => text !== undefined && screen.line(text)).finally(rest);
    editor.hide();
    switch (name) {
      case 'mode':
      case 'model':
      case 'set':
        return say(runOptionCommand(name, words, to));
      case 'steer':
        return to.prompt(words, 'steer');
      case 'followup':
        return to.prompt(words, 'followUp');
      case 'login':
        return say(to.signIn(words === '' ? undefined : words));
      case 'retry':
        to.retryNow();
        return state.type === 'blocked' ? undefined : rest();
      case 'changes':
        return say(to.lastChanges(paint).then((lines) => lines.join('\n')));
      case 'undo':
        return say(to.undoLast().then((lines) => lines.join('\n')));
      case 'help':
        screen.line(helpLines(to.agentCommands()).join('\n'));
        return rest();
      case 'exit':
        return exit(to);
    }
  };

  const tell = (act: (to: ChatCommands) => void): void => {
    if (commands === undefined) early = [...early, act];
    else act(commands);
  };

  const onLine = (line: string, to: ChatCommands): void => {
    const own = ownCommandIn(line, to.agentCommands());
    switch (state.type) {
      case 'interrupted':
        return afterInterruption(line);
      case 'refused':
        return choose(line, state.offer);
      case 'gone':
        if (line.trim() !== '') {
          screen.lineTyped();
          return reject(line);
        }
        editor.hide();
        return to.retryNow();
      case 'idle':
      case 'blocked':
      case 'running':
        if (line.trim() === '') return rest();
        if (own !== undefined) return runOwn(own, to);
        editor.hide();
        if (state.type === 'running') screen.line(paint.dim(`queued: ${oneLine(line)}`));
        return to.prompt(line);
    }
  };
  const editor = new LineEditor({
    io,
    history: history.lines,
    onPrompt: (line) => history.add(line),
    complete: (line) => completionsOf(line, commands?.agentCommands() ?? []),
    beforeShown: () => screen.rest(),
    onLine: (line) => requests.typed(line) || tell((to) => onLine(line, to)),
    onInterrupt: () => (commands === undefined ? raiseInterrupt() : commands.interrupt()),
    onEnd() {
      requests.ended();
      // The terminal can't ask any more.
      const late = isExiting ? undefined : commands?.lateWork();
      if (late !== undefined) screen.line(`${oneLine(late, 300)}, and ends with this chat.`);
      tell((to) => to.end());
    },
  });
  return {
    isTerminal: true,
    agent,
    output,
    answerer: {
      ask: requests.ask,
      closed: requests.closed,
      dispose() {
        requests.dispose();
        editor.dispose();
      },
    },
    listen(given) {
      commands = given;
      // The chat runs from now on.
      queueMicrotask(() => early.forEach((act) => act(given)));
    },
    show(next) {
      keep(editor.answer);
      state = next;
      isEditing = false;
      if (!isGreeted && state.type === 'idle') output.note('Press Ctrl+C to stop a turn, Ctrl+D to exit. /host:help lists the commands');
      isGreeted ||= state.type === 'idle';
      if (state.type !== 'running') screen.interruptAnswer();
      for (const line of introductionOf(state, call)) screen.line(line);
      present();
    },
  };
}

type Question = Extract<ChatState, { type: 'interrupted' | 'refused' | 'gone' }>;

function isQuestion(state: ChatState): state is Question {
  return state.type !== 'idle' && state.type !== 'running' && state.type !== 'blocked';
}

function introductionOf(state: ChatState, call: (name: OwnCommand) => string): readonly string[] {
  if (state.type === 'refused') return recoveryChoices(state.offer).map(({ label }, index) => `  ${index + 1}  ${label}`);
  if (state.type === 'blocked')
    return [`What you sent waits. ${call('login')} signs you in; after you signed in elsewhere, ${call('retry')} sends it.`];
  if (state.type !== 'interrupted') return [];
  const queued = state.queued === 0 ? '' : ` ${state.queued} queued ${state.queued === 1 ? 'prompt follows' : 'prompts follow'} it.`;
  return [`The turn was interrupted. Its prompt is not resent automatically.${queued}`];
}

interface Choice {
  readonly what: 'context' | 'fresh' | 'show' | 'exit';
  readonly label: string;
}

function recoveryChoices({ context }: RecoveryOffer): readonly Choice[] {
  const exit = { what: 'exit', label: 'Exit' } as const;
  if (context === undefined) return [{ what: 'fresh', label: 'Start fresh' }, exit];
  const { text, turns, omittedTurns } = context;
  const left = omittedTurns === 0 ? '' : `, without the ${omittedTurns} before`;
  return [
    {
      what: 'context',
      label: `Continue with context: send a new session the last ${turns === 1 ? 'turn' : `${turns} turns`}${left} (${text.length} characters) with your next prompt`,
    },
    { what: 'fresh', label: 'Start fresh: start a new session without the history' },
    { what: 'show', label: 'Show the context' },
    exit,
  ];
}

/** `/mode`, `/model` and `/set`: sets the option, or lists what can be set. @returns what to tell the user */
async function runOptionCommand(name: 'mode' | 'model' | 'set', words: string, commands: ChatCommands): Promise<string> {
  const [, id, value] = /^([^\s=]+)(?:\s*=\s*|\s+)(.+)$/s.exec(words) ?? [];
  if (name !== 'set') return words === '' ? listOf(commands.options(), name) : setOption({ category: name, value: words }, commands);
  if (id !== undefined && value !== undefined) return setOption({ id, value }, commands);
  return listOf(commands.options(), words === '' ? undefined : words);
}

async function setOption(wish: OptionWish, commands: ChatCommands): Promise<string> {
  return (await commands.setOption(wish)) ?? `${'id' in wish ? wish.id : wish.category}: ${oneLine(wish.value)}`;
}

function listOf(options: readonly SessionOption[], only: string | undefined): string {
  const shown = options.filter((option) => only === undefined || [optionName(option), option.category].includes(only));
  if (shown.length === 0) return only === undefined ? 'The agent has no options.' : `The agent has no option "${oneLine(only)}".`;
  const lines = shown.flatMap((option) => [
    `  ${oneLine(optionName(option))}  ${oneLine(option.name)}`,
    ...valuesOf(option).map((value) => `    ${value === currentOf(option) ? '*' : ' '} ${oneLine(value)}`),
  ]);
  return lines.join('\n');
}

function currentOf(option: SessionOption): string {
  return option.type === 'boolean' ? (option.currentValue ? 'on' : 'off') : option.currentValue;
}
