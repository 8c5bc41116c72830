/** What an agent asks, with everything that is needed to decide. */
import { isAbsolute } from 'node:path';
import type { FieldView } from '../../contract/formField.js';
import type { PermissionPromptView, PromptView, ToolKindView } from '../../contract/view.js';
import { dismissingOption, type FormField, misleadingHost, type PermissionRequest, type UserRequest } from '../../core/index.js';
import { alwaysScopeText } from '../../text/hintText.js';
import { sentences } from '../../text/sentence.js';
import { hostWarning } from '../../text/urlText.js';
import { type ToolFacts, shortPath, toolFacts } from './toolView.js';

const questions: Readonly<Record<ToolKindView, string>> = {
  read: 'Read a file?',
  edit: 'Change a file?',
  delete: 'Delete a file?',
  move: 'Move a file?',
  search: 'Search?',
  execute: 'Run a command?',
  think: 'Allow it to think?',
  fetch: 'Fetch from the network?',
  switch_mode: 'Switch the mode?',
  other: 'Allow this?',
};

export interface RequestSurroundings {
  /** `name`: where the prompt stands outside of it. Two agents may give their sessions the same id. */
  readonly conversation?: { readonly id: string; readonly name?: string };
  readonly agent: string;
  /** Absolute. */
  readonly cwd: string;
  /** The agent asks although no turn runs. */
  readonly outsideTurn: boolean;
  /** Named where the window has several folders; absent otherwise. */
  readonly folder: string | undefined;
}

/** Ids of requests are unique in their session only, and those of sessions in their agent. */
function promptIdOf({ sessionId, id }: UserRequest, conversation: RequestSurroundings['conversation']): string {
  return [...(conversation === undefined ? [] : [conversation.id]), sessionId, id].join('/');
}

/** What every prompt has: whose it is, and where it comes from and how long it waits, when either is unusual. */
function frameOf(
  request: UserRequest,
  { conversation, agent, outsideTurn }: RequestSurroundings,
): Pick<PromptView, 'id' | 'agent' | 'conversation' | 'at' | 'note' | 'until'> {
  return {
    id: promptIdOf(request, conversation),
    agent,
    ...(conversation?.name === undefined ? {} : { conversation: conversation.name }),
    at: request.at,
    ...(outsideTurn ? { note: `${agent} asked after its last turn ended.` } : {}),
    ...(request.deadlineAt === undefined ? {} : { until: request.deadlineAt }),
  };
}

export function promptView(request: UserRequest, surroundings: RequestSurroundings): PromptView {
  const { agent } = surroundings;
  const frame = frameOf(request, surroundings);
  switch (request.kind) {
    case 'permission':
      return permissionView(request, surroundings);
    case 'form':
      return {
        kind: 'form',
        ...frame,
        title: request.title ?? `${agent} asks`,
        message: request.message,
        fields: request.fields.map(fieldView),
        canDecline: request.canDecline === true,
      };
    case 'url': {
      const note = sentences(frame.note ?? '', hostWarning(misleadingHost(request.url)));
      const warned = note === '' ? frame : { ...frame, note };
      return { kind: 'url', ...warned, title: 'Open a page?', message: request.message, url: request.url };
    }
    case 'confirm':
      return {
        kind: 'confirm',
        ...frame,
        title: request.title,
        ...(request.message === undefined ? {} : { message: request.message }),
      };
    case 'editor':
      return { kind: 'editor', ...frame, title: request.title, prefill: request.prefill };
  }
}

function fieldView(field: FormField): FieldView {
  switch (field.type) {
    case 'select':
      return { ...field, choices: field.choices.map((choice) => ({ ...choice })) };
    case 'multiselect': {
      const { defaultValue, choices, ...rest } = field;
      return {
        ...rest,
        choices: choices.map((choice) => ({ ...choice })),
        ...(defaultValue === undefined ? {} : { defaultValue: [...defaultValue] }),
      };
    }
    default:
      return { ...field };
  }
}

function permissionView(request: PermissionRequest, surroundings: RequestSurroundings): PermissionPromptView {
  const { cwd, folder } = surroundings;
  const { subject } = request;
  const facts = toolFacts(subject, cwd);
  return {
    kind: 'permission',
    ...frameOf(request, surroundings),
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
    options: request.options.map(({ optionId, name, kind }) => {
      const always = kind === 'allow_always' || kind === 'reject_always';
      return {
        optionId,
        name,
        allows: kind === 'allow_once' || kind === 'allow_always',
        always,
        ...(always && request.alwaysScope !== undefined ? { scope: alwaysScopeText(request.alwaysScope) } : {}),
      };
    }),
    rejectsWhenDismissed: dismissingOption(request) !== undefined,
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
