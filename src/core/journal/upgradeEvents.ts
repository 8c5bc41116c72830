/** Converts events of older formats to the current one. Works on unparsed data: passes invalid data on for the parser to refuse. */
import { splitChoices } from '../session/joinedChoices.js';
import { MODE_OPTION_ID } from '../session/sessionOption.js';

type Fields = Readonly<Record<string, unknown>>;

/** Facts from earlier events of the file that determine the meaning of later ones. */
interface Memory {
  /** The options of each open multiple-choice question, by its ID. */
  readonly choices: Map<string, readonly string[]>;
  /** Modes were separate from the options, and an event contained only the mode that changed. */
  mode: Fields | undefined;
  options: readonly unknown[];
}

/** One function per event type that no longer exists or had another shape. Returns the replacement. */
const upgrades: Readonly<Record<string, (event: Fields, memory: Memory) => Fields>> = {
  ask_opened: upgradeAskOpened,
  ask_closed: upgradeAskClosed,
  opened: upgradeOpened,
  config_options: upgradeConfigOptions,
  modes: upgradeModes,
  mode: upgradeMode,
  turn_ended: upgradeTurnEnded,
  tool: upgradeTool,
  wait: upgradeWait,
};

/**
 * @param version of the file's header
 * @returns a function that upgrades the events of one file, in order, beginning with those in its first line
 */
export function eventUpgrader(version: number): (event: unknown) => unknown {
  // Later versions added only new kinds of lines.
  if (version >= 2) return (event) => event;
  const memory: Memory = { choices: new Map(), mode: undefined, options: [] };
  return (event) => {
    if (!isFields(event) || typeof event['type'] !== 'string' || !Object.hasOwn(upgrades, event['type'])) return event;
    return upgrades[event['type']]?.(event, memory) ?? event;
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Questions had one answer each. */
const answerField = 'answer';

/** Until format 1: `ask_opened` with a permission or a question. */
function upgradeAskOpened({ ask, ...event }: Fields, { choices }: Memory): Fields {
  const opened = { ...event, type: 'request_opened' };
  if (!isFields(ask) || ask['kind'] !== 'question') return { ...opened, request: isFields(ask) ? upgradeScope(ask) : ask };
  const { header, question, options, multiple, allowCustom, kind: _, ...base } = ask;
  const offered = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
  if (multiple === true && offered.length > 0) choices.set(String(base['id']), offered);
  const field = { name: answerField, required: true };
  return {
    ...opened,
    request: {
      ...base,
      kind: 'form',
      ...(header === undefined ? {} : { title: header }),
      message: question,
      fields: [
        offered.length === 0
          ? { ...field, type: 'text', multiline: true }
          : {
              ...field,
              type: multiple === true ? 'multiselect' : 'select',
              choices: offered.map((value) => ({ value, label: value })),
              allowCustom: allowCustom ?? true,
            },
      ],
    },
  };
}

const scopeStart = 'for this session: any ';

/** Until format 1: `alwaysScope` as text, of which there was one kind. */
function upgradeScope({ alwaysScope, ...ask }: Fields): Fields {
  if (typeof alwaysScope !== 'string' || !alwaysScope.startsWith(scopeStart)) return ask;
  return { ...ask, alwaysScope: { code: 'session_tool', params: { tool: alwaysScope.slice(scopeStart.length) } } };
}

/** Until format 1: `ask_closed`, with several answers in one text. */
function upgradeAskClosed({ askId, answer, ...event }: Fields, { choices }: Memory): Fields {
  const offered = choices.get(String(askId));
  choices.delete(String(askId));
  return { ...event, type: 'request_closed', requestId: askId, answer: isFields(answer) ? upgradeAnswer(answer, offered) : answer };
}

function upgradeAnswer({ type, optionId, text, why }: Fields, offered: readonly string[] | undefined): unknown {
  switch (type) {
    case 'selected':
      return { type: 'accept', values: { option: optionId } };
    case 'answered':
      return {
        type: 'accept',
        values: { [answerField]: offered === undefined || typeof text !== 'string' ? text : (splitChoices(offered, text) ?? [text]) },
      };
    default:
      return { type: 'cancel', ...(why === undefined ? {} : { why }) };
  }
}

/** Until format 1: an error with its message for people and `data`. */
function upgradeTurnEnded(event: Fields): Fields {
  const { outcome } = event;
  if (!isFields(outcome) || !isFields(outcome['error'])) return event;
  const { code, message, data } = outcome['error'];
  return {
    ...event,
    outcome: { ...outcome, error: { code, params: { ...(isFields(data) ? data : {}), ...textIf({ detail: message }) } } },
  };
}

/** Until format 1: `caveat` as text, of which there were two. */
function upgradeTool(event: Fields): Fields {
  const { patch } = event;
  if (!isFields(patch) || typeof patch['caveat'] !== 'string') return event;
  return { ...event, patch: { ...patch, caveat: patch['caveat'].includes('exit code') ? 'exit_code_unreported' : 'change_unconfirmed' } };
}

/** Until format 1: a retry with its reason as text. It is over when a journal is read. */
function upgradeWait(event: Fields): Fields {
  return isFields(event['wait']) && event['wait']['kind'] === 'retry' ? { ...event, wait: null } : event;
}

/** Until format 1: `how`, with `fresh` for a replacement. */
function upgradeOpened({ how, ...event }: Fields): Fields {
  return { ...event, by: how === 'fresh' ? 'replacement' : how };
}

/** Until format 1: options in the form of ACP, and without the modes. */
function upgradeConfigOptions({ configOptions, at }: Fields, memory: Memory): Fields {
  memory.options = Array.isArray(configOptions) ? configOptions.map(upgradeOption) : [];
  return optionsEvent(at, memory);
}

function upgradeModes({ modes, at }: Fields, memory: Memory): Fields {
  if (isFields(modes)) {
    const { currentModeId, availableModes } = modes;
    memory.mode = {
      type: 'select',
      id: MODE_OPTION_ID,
      name: 'Mode',
      category: 'mode',
      currentValue: currentModeId,
      choices: Array.isArray(availableModes)
        ? availableModes.map((mode: unknown) => (isFields(mode) ? toChoice({ ...mode, value: mode['id'] }) : mode))
        : [],
    };
  }
  return optionsEvent(at, memory);
}

function upgradeMode({ currentModeId, at }: Fields, memory: Memory): Fields {
  if (memory.mode !== undefined) memory.mode = { ...memory.mode, currentValue: currentModeId };
  return optionsEvent(at, memory);
}

function optionsEvent(at: unknown, { mode, options }: Memory): Fields {
  const isTwin = options.some((option) => isFields(option) && option['category'] === 'mode');
  return { type: 'options', at, options: mode === undefined || isTwin ? options : [mode, ...options] };
}

function upgradeOption(option: unknown): unknown {
  if (!isFields(option)) return option;
  const { id, name, description, category, type, currentValue, options } = option;
  const base = { type, id, name, ...textIf({ description }), ...textIf({ category }), currentValue };
  return type === 'select' ? { ...base, choices: Array.isArray(options) ? options.map(upgradeEntry) : options } : base;
}

function upgradeEntry(entry: unknown): unknown {
  if (!isFields(entry)) return entry;
  const { group, name, options } = entry;
  return Array.isArray(options)
    ? { group, name, choices: options.map((choice: unknown) => (isFields(choice) ? toChoice(choice) : choice)) }
    : toChoice(entry);
}

function toChoice({ value, name, description }: Fields): Fields {
  return { value, name, ...textIf({ description }) };
}

/** ACP writes `null` for absent values. */
function textIf(member: Fields): Fields {
  return Object.values(member).every((value) => typeof value === 'string') ? member : {};
}
