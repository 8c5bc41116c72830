/** A chat with a person: one line at the bottom of the terminal, for prompts, answers and choices. */
import type { AgentDefinition } from '../../core/index.js';
import type { ChatRequest } from '../arguments/request.js';
import { LineEditor, PROMPT } from '../input/lineEditor.js';
import { openLineHistory } from '../input/lineHistory.js';
import { terminalAsks } from '../input/terminalPrompt.js';
import type { RecoveryOffer } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { Screen } from '../output/screen.js';
import { oneLine, revealControls } from '../output/terminalText.js';
import { createTextOutput } from '../output/textOutput.js';
import { type Io, isColored } from '../system/io.js';
import { stateFolder } from '../system/stateFolder.js';
import type { ChatCommands, ChatFrontEnd, ChatState } from './chatFrontEnd.js';

export function terminalFrontEnd(
  { state: givenState }: ChatRequest,
  { label: agentLabel }: AgentDefinition,
  cwd: string,
  io: Io,
): ChatFrontEnd {
  const paint = paintFor(isColored(io.stderr, io.env));
  const screen: Screen = new Screen(io, (write) => editor.around(write));
  const output = createTextOutput({ io, screen, cwd, agentLabel });
  const asks = terminalAsks({ screen, cwd, agentLabel, paint, prompt: (words) => (words === undefined ? rest() : editor.ask(words)) });
  const history = openLineHistory(stateFolder(givenState, io), io.env);
  let commands: ChatCommands | undefined;
  let state: ChatState = { type: 'running' };
  let isGreeted = false;
  /** The prompt whose turn was cut stands in the line. */
  let isEditing = false;

  /** The line as the state wants it, where nothing is asked. */
  const rest = (): void => {
    switch (state.type) {
      case 'running':
        return editor.hide();
      case 'idle':
        return editor.edit();
      case 'cut':
        return isEditing ? editor.ask(PROMPT, state.prompt) : editor.ask('r sends it again, e edits it first, s skips it: ');
      case 'refused':
        return editor.ask(`Your choice (${state.offer.context.turns === 0 ? '1-2' : '1-4'}): `);
      case 'gone':
        return editor.ask('Enter starts it again, Ctrl+D leaves: ');
    }
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
        screen.line(revealControls(offer.context.text));
        return rest();
      case 'leave':
        return commands?.end();
      case undefined:
        screen.line('That is none of the choices.');
        return rest();
    }
  };

  /** Letters: who was about to answer the agent by a number has not chosen anything by it. */
  const afterCut = (line: string): void => {
    const choice = isEditing ? 'edited' : line.trim().toLowerCase();
    if (choice === 'e') {
      isEditing = true;
      return rest();
    }
    if (choice !== 'edited' && choice !== 'r' && choice !== 's') {
      screen.lineTyped();
      screen.line('That is none of the choices.');
      return rest();
    }
    editor.hide();
    if (choice === 's' || (isEditing && line.trim() === '')) commands?.skip();
    else commands?.resend(isEditing ? line : undefined);
  };

  const onLine = (line: string): void => {
    if (asks.typed(line) || commands === undefined) return;
    const text = line.trim();
    switch (state.type) {
      case 'cut':
        return afterCut(line);
      case 'refused':
        return choose(line, state.offer);
      case 'gone':
        editor.hide();
        return commands.retryNow();
      case 'idle':
      case 'running':
        if (text === '') return rest();
        editor.hide();
        if (state.type === 'running') screen.line(paint.dim(`queued: ${oneLine(line)}`));
        return commands.prompt(line);
    }
  };
  const editor = new LineEditor({
    io,
    history: history.lines,
    onPrompt: (line) => history.add(line),
    beforeShown: () => screen.rest(),
    onLine,
    onInterrupt: () => commands?.interrupt(),
    onEnd() {
      asks.ended();
      commands?.end();
    },
  });
  return {
    isTerminal: true,
    output,
    answerer: {
      ask: asks.ask,
      closed: asks.closed,
      dispose() {
        asks.dispose();
        editor.dispose();
      },
    },
    listen: (given) => (commands = given),
    show(next) {
      state = next;
      isEditing = false;
      if (!isGreeted && state.type === 'idle') output.note('Ctrl+C stops a turn, Ctrl+D leaves');
      isGreeted ||= state.type === 'idle';
      if (state.type !== 'running') screen.interruptAnswer();
      for (const line of introductionOf(state)) screen.line(line);
      rest();
    },
  };
}

function introductionOf(state: ChatState): readonly string[] {
  if (state.type === 'refused') return recoveryChoices(state.offer).map(({ words }, index) => `  ${index + 1}  ${words}`);
  if (state.type !== 'cut') return [];
  const waiting = state.queued === 0 ? '' : ` ${state.queued} more ${state.queued === 1 ? 'waits' : 'wait'} behind it.`;
  return [`The turn was cut. Nothing is sent again by itself.${waiting}`];
}

interface Choice {
  readonly what: 'context' | 'fresh' | 'show' | 'leave';
  readonly words: string;
}

function recoveryChoices({ context: { text, turns, omittedTurns } }: RecoveryOffer): readonly Choice[] {
  const leave = { what: 'leave', words: 'Leave' } as const;
  if (turns === 0) return [{ what: 'fresh', words: 'Start fresh' }, leave];
  const left = omittedTurns === 0 ? '' : `, without the ${omittedTurns} before`;
  return [
    {
      what: 'context',
      words: `Go on with context: a new session reads the last ${turns === 1 ? 'turn' : `${turns} turns`}${left} (${text.length} characters) with your next prompt`,
    },
    { what: 'fresh', words: 'Start fresh: a new session that knows nothing of it' },
    { what: 'show', words: 'Show the context' },
    leave,
  ];
}
