/** What an agent asks, with everything that is needed to decide. */
import { isAbsolute } from 'node:path';
import type { PermissionPromptView, PromptView, QuestionPromptView, ToolKindView } from '../../contract/view.js';
import type { Ask, PermissionAsk, QuestionAsk } from '../../core/index.js';
import { type ToolFacts, shortPath, toolFacts } from './toolView.js';

const questions: Readonly<Record<ToolKindView, string>> = {
  read: 'Read a file?',
  edit: 'Change a file?',
  delete: 'Delete a file?',
  move: 'Move a file?',
  search: 'Search?',
  execute: 'Run a command?',
  think: 'Think this over?',
  fetch: 'Fetch from the network?',
  switch_mode: 'Switch the mode?',
  other: 'Allow this?',
};

export interface AskSurroundings {
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  /** The agent asks although no turn runs. */
  readonly outsideTurn: boolean;
  /** Named where the window has several folders; absent otherwise. */
  readonly folder: string | undefined;
}

/** Ids of asks are unique in their session only. */
export function promptIdOf(ask: Ask): string {
  return `${ask.sessionId}/${ask.id}`;
}

/** Where it comes from and how long it waits, when either is unusual. */
function circumstances(ask: Ask, { agent, outsideTurn }: AskSurroundings): Pick<PromptView, 'note' | 'until'> {
  return {
    ...(outsideTurn ? { note: `It belongs to no turn: ${agent} asks although the last one has ended.` } : {}),
    ...(ask.deadlineAt === undefined ? {} : { until: ask.deadlineAt }),
  };
}

export function promptView(ask: Ask, surroundings: AskSurroundings): PromptView {
  return ask.kind === 'permission' ? permissionView(ask, surroundings) : questionView(ask, surroundings);
}

function permissionView(ask: PermissionAsk, surroundings: AskSurroundings): PermissionPromptView {
  const { agent, cwd, folder } = surroundings;
  const { subject } = ask;
  const facts = toolFacts(subject, cwd);
  return {
    kind: 'permission',
    id: promptIdOf(ask),
    agent,
    at: ask.at,
    ...circumstances(ask, surroundings),
    title: questions[subject.toolKind],
    toolTitle: subject.title,
    toolKind: subject.toolKind,
    diffs: facts.diffs,
    // A diff names its file itself.
    locations: facts.locations.filter(({ path }) => !facts.diffs.some((diff) => diff.path === path)),
    context: [
      folder === undefined ? `in ${cwd}` : `in ${folder} (${cwd})`,
      ...facts.diffs.map((diff) => outsideNote(diff.path, cwd)).filter((note) => note !== ''),
    ],
    options: ask.options.map(({ optionId, name, kind }) => {
      const always = kind === 'allow_always' || kind === 'reject_always';
      return {
        optionId,
        name,
        allows: kind === 'allow_once' || kind === 'allow_always',
        always,
        ...(always && ask.alwaysScope !== undefined ? { scope: ask.alwaysScope } : {}),
      };
    }),
    ...theRealThing(facts),
    ...(facts.rawInput === undefined ? {} : { rawInput: facts.rawInput }),
  };
}

/** A diff says more than the path that it changes. */
function theRealThing({ command, target, diffs }: ToolFacts): { command?: string } {
  const text = command ?? (diffs.length === 0 ? target : undefined);
  return text === undefined ? {} : { command: text };
}

function outsideNote(path: string, cwd: string): string {
  return isAbsolute(path) && shortPath(path, cwd) === path ? `${path} is outside the folder` : '';
}

function questionView(ask: QuestionAsk, surroundings: AskSurroundings): QuestionPromptView {
  const { agent } = surroundings;
  return {
    kind: 'question',
    id: promptIdOf(ask),
    agent,
    at: ask.at,
    ...circumstances(ask, surroundings),
    title: ask.header ?? `${agent} asks`,
    question: ask.question,
    options: [...ask.options],
    multiple: ask.multiple,
    allowCustom: ask.allowCustom,
  };
}
