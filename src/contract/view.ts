/** What the page draws. Plain data for users: no wire names, no protocol versions, and nothing left to compute but the layout. */
import * as z from 'zod/mini';
import { attachmentSchema, buttonSchema, changesSchema, countsSchema, diffSchema, fieldSchema, locationSchema } from './viewParts.js';

const id = z.string();
/** Milliseconds since the epoch. */
const time = z.number();
const optionalText = z.optional(z.string());

export const agentStateSchema = z.enum(['stopped', 'starting', 'reconnecting', 'ready', 'busy', 'waiting', 'failed']);
export type AgentState = z.infer<typeof agentStateSchema>;

/** The line at the top. `since` is for the age of a state that is a wait. */
export const headerSchema = z.object({
  agent: z.string(),
  version: optionalText,
  model: optionalText,
  /** The name of the conversation; absent where none is open. */
  name: optionalText,
  /** Something about the agent that users must keep in mind: a short label and the full text. */
  caveat: z.optional(z.object({ label: z.string(), title: z.string() })),
  state: agentStateSchema,
  /** The state in words: "ready", "starting · waiting for initialize". */
  stateText: z.string(),
  since: z.optional(time),
});
export type HeaderView = z.infer<typeof headerSchema>;

export const toolStatusSchema = z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'unreported', 'rejected']);
export const toolKindSchema = z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']);
export type ToolKindView = z.infer<typeof toolKindSchema>;

/** The id of the sub-agent whose card shows the item. */
const inside = optionalText;

/** `promptId` is absent if the agent repeated what was said in its session. */
export const userItemSchema = z.object({
  kind: z.literal('user'),
  id,
  promptId: z.optional(z.string()),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  at: time,
});
/** The attachments follow the text. */
const agentTextSchema = z.object({ markdown: z.string(), attachments: z.array(attachmentSchema) });
export type AgentTextView = z.infer<typeof agentTextSchema>;
/** `earlier` precedes the text, for an answer that goes on below a picture or a link. */
export const agentItemSchema = z.object({
  kind: z.literal('agent'),
  id,
  earlier: z.optional(z.array(agentTextSchema)),
  markdown: z.string(),
  attachments: z.array(attachmentSchema),
  open: z.boolean(),
  inside,
  at: time,
});
export const thoughtItemSchema = z.object({
  kind: z.literal('thought'),
  id,
  text: z.string(),
  open: z.boolean(),
  inside,
  startedAt: time,
  endedAt: z.optional(time),
});
export const toolItemSchema = z.object({
  kind: z.literal('tool'),
  id,
  toolKind: toolKindSchema,
  /** The agent's title; the accessible name of the card is "title (status)". */
  title: z.string(),
  /** One word for users: Read, Edit, Run or Search, for example; the agent's title if none fits. */
  verb: z.string(),
  /** What the call is about, on one line: a path, a command, a pattern. */
  target: optionalText,
  status: toolStatusSchema,
  /** The status in words, also for users who can't see colors: "running", "done", "failed", "ended" … */
  statusText: z.string(),
  /** The input as monospace text, for example the command. */
  input: optionalText,
  /** The complete text output so far. */
  output: optionalText,
  /** It has a terminal, which can be opened as one of the editor. `running`: its command runs in the host, which can stop it. */
  terminal: z.optional(z.enum(['running', 'shown'])),
  diffs: z.array(diffSchema),
  locations: z.array(locationSchema),
  attachments: z.array(attachmentSchema),
  /** Indented JSON, cut to a reasonable length; the intent `openRaw` opens all of it. */
  rawInput: optionalText,
  rawOutput: optionalText,
  caveat: optionalText,
  inside,
  startedAt: time,
  endedAt: z.optional(time),
  /** How long it has waited for the user, in milliseconds, and since when it is waiting. */
  waitedMs: z.optional(z.number()),
  waitsSince: z.optional(time),
});
export const noticeItemSchema = z.object({
  kind: z.literal('notice'),
  id,
  severity: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  description: optionalText,
  /** Few users need the description, so it is collapsed and has no frame. */
  folds: z.optional(z.boolean()),
  /** It is a heading of what follows, on a line without a frame. */
  heads: z.optional(z.boolean()),
  inside,
  buttons: z.array(buttonSchema),
  at: time,
});
/**
 * The line below a turn. Without `text`, the turn ended regularly. `files` are those that an interrupted turn may have changed, if what it
 * changed is not known. `note` is about the changes of the last turn.
 */
export const turnEndItemSchema = z.object({
  kind: z.literal('turn_end'),
  id,
  severity: z.enum(['info', 'warning', 'error']),
  text: optionalText,
  detail: optionalText,
  /** Without the time in which the agent waited for the user. */
  durationMs: z.number(),
  waitedMs: z.optional(z.number()),
  files: z.array(locationSchema),
  changes: z.optional(changesSchema),
  note: optionalText,
  buttons: z.array(buttonSchema),
  at: time,
});

/** A plan in Markdown. `path` is the file that the agent keeps it in. */
export const planItemSchema = z.object({
  kind: z.literal('plan'),
  id,
  title: z.string(),
  markdown: z.string(),
  path: optionalText,
  inside,
  at: time,
});

/** A sub-agent, whose card shows what it says and does. */
export const subagentItemSchema = z.object({
  kind: z.literal('subagent'),
  id,
  inside,
  /** On one line. */
  name: z.string(),
  /** What it is for, on one line. */
  description: optionalText,
  /** What it was told to do. */
  task: optionalText,
  state: z.enum(['working', 'waiting', 'done', 'stopped', 'failed', 'unknown']),
  /** The state in words; empty if it worked as it should. */
  stateText: z.string(),
  error: optionalText,
  tools: z.number(),
  /** How long it worked, in milliseconds, until `worksSince` if it works. */
  workedMs: z.number(),
  worksSince: z.optional(time),
  canStop: z.boolean(),
  /** Says how it can be stopped if not by itself. */
  note: optionalText,
});
export type SubagentItemView = z.infer<typeof subagentItemSchema>;

export const itemSchema = z.discriminatedUnion('kind', [
  userItemSchema,
  agentItemSchema,
  thoughtItemSchema,
  toolItemSchema,
  noticeItemSchema,
  planItemSchema,
  subagentItemSchema,
  turnEndItemSchema,
]);
export type ItemView = z.infer<typeof itemSchema>;
export type AgentItemView = z.infer<typeof agentItemSchema>;
export type ToolItemView = z.infer<typeof toolItemSchema>;

export const planEntrySchema = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanEntryView = z.infer<typeof planEntrySchema>;

/** A value of an option that also accepts values that it does not list: the user is asked for one. */
export const otherValue = 'acp-host.other';

/** A selector of the composer: the mode, the model, or another option of the agent. */
export const selectorSchema = z.object({
  id: z.string(),
  label: z.string(),
  category: z.enum(['mode', 'model', 'other']),
  /** What the current value does, for the tooltip, and below the composer after a change. */
  hint: optionalText,
  /** The agent asks before nothing in this mode. */
  warns: z.optional(z.literal(true)),
  /** The value applies from the next turn. */
  isPending: z.optional(z.literal(true)),
  disabled: z.optional(z.boolean()),
  value: z.union([z.string(), z.boolean()]),
  /** Empty for a boolean. */
  options: z.array(z.object({ value: z.string(), label: z.string(), description: optionalText })),
});
export type SelectorView = z.infer<typeof selectorSchema>;

export const commandSchema = z.object({ name: z.string(), description: z.string(), hint: optionalText });
export type CommandView = z.infer<typeof commandSchema>;

/**
 * `follows`: it is the file that is open in the editor, which changes by itself, and is sent or left out. `holds`: a picture, which the page
 * gets with `loadImage` and the chip's id, or text that the user pasted, which is a message by itself and can be unfolded into the composer,
 * or notes of a review, which are a message by themselves.
 */
export const contextChipSchema = z.object({
  id: z.string(),
  label: z.string(),
  title: z.string(),
  follows: z.optional(z.enum(['sent', 'leftOut'])),
  holds: z.optional(z.enum(['picture', 'pastedText', 'notes'])),
});
export type ContextChipView = z.infer<typeof contextChipSchema>;

export const composerSchema = z.object({
  placeholder: z.string(),
  /** A turn is running, so there is a Stop button, and Enter queues the message. */
  busy: z.boolean(),
  /** The running turn accepts messages. */
  steers: z.optional(z.boolean()),
  /** Why nothing can be sent now; absent if something can. */
  disabledReason: optionalText,
  selectors: z.array(selectorSchema),
  commands: z.array(commandSchema),
  chips: z.array(contextChipSchema),
  /** The used tokens and the size of the context; absent if the agent does not report them. */
  usage: z.optional(z.object({ used: z.number(), size: z.number(), cost: optionalText })),
});
export type ComposerView = z.infer<typeof composerSchema>;

/**
 * `isFixed`: the prompt is in the queue of an agent that does not allow removing it. `goes` says in two words when the agent gets the
 * prompt, if that is not obvious. `sendNow` says what sending it at once does, and is absent if that is not possible; only such prompts have
 * an order that can be changed.
 */
export const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  isFixed: z.optional(z.boolean()),
  goes: optionalText,
  sendNow: optionalText,
});

/** Messages that are on hold until the user decides: the reason, and what the user can do. None of them was sent. */
export const heldSchema = z.object({
  title: z.string(),
  text: z.string(),
  prompts: z.array(queuedSchema),
  buttons: z.array(buttonSchema),
});
export type HeldView = z.infer<typeof heldSchema>;

/**
 * A wait: for whom, for what, since when. The page shows it above the composer, and counts its age, or the time until something happens by
 * itself. `changes` is what the running turn has changed so far.
 */
export const waitSchema = z.object({
  text: z.string(),
  since: time,
  until: z.optional(time),
  changes: z.optional(countsSchema),
  buttons: z.array(buttonSchema),
});
export type WaitView = z.infer<typeof waitSchema>;

/** A line above the message box, with what can be done about it. */
export const lineSchema = z.object({ text: z.string(), buttons: z.array(buttonSchema) });
export type LineView = z.infer<typeof lineSchema>;

/** A card above everything else: sign in, the agent failed, install agentao. */
export const bannerSchema = z.object({
  severity: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  text: z.string(),
  /** A command to copy, in monospace. */
  command: optionalText,
  detail: optionalText,
  buttons: z.array(buttonSchema),
});
export type BannerView = z.infer<typeof bannerSchema>;

const promptBase = {
  id: z.string(),
  agent: z.string(),
  /** The name of the conversation, if the prompt appears outside it. */
  conversation: optionalText,
  at: time,
  /** The title of the dialog, as a question: "Run a command?" */
  title: z.string(),
  /** Something unusual about the request, for example that it belongs to no turn. */
  note: optionalText,
  /** When the request closes by itself. */
  until: z.optional(time),
};
/** One part of a permission request. Texts are complete, with hidden characters spelled out. */
export const requestPartSchema = z.discriminatedUnion('type', [
  /** `code`: monospace text that is shown as it is, such as a command; otherwise the agent's text. */
  z.object({
    type: z.literal('text'),
    label: optionalText,
    text: z.string(),
    code: z.boolean(),
    copy: z.optional(z.enum(['command', 'address'])),
  }),
  /** A short value next to its name. */
  z.object({ type: z.literal('value'), label: z.string(), text: z.string() }),
  /** `to` is the target of a move. */
  z.object({ type: z.literal('path'), location: locationSchema, to: z.optional(locationSchema) }),
  /** `note` says what is unusual about the place of the change in the file. */
  z.object({ type: z.literal('diff'), diff: diffSchema, note: optionalText }),
]);
export type RequestPartView = z.infer<typeof requestPartSchema>;

export const permissionPromptSchema = z.object({
  kind: z.literal('permission'),
  ...promptBase,
  toolKind: toolKindSchema,
  /** The agent's own title if the other parts don't say it. */
  toolTitle: optionalText,
  /** All parts together are the whole request. */
  parts: z.array(requestPartSchema),
  /** Reasons that the host sees for a second look. */
  risks: z.array(z.string()),
  /** Where the action happens, if that is not obvious. */
  context: z.array(z.string()),
  /** What the short texts stand for, such as full paths, and what is as in every request. */
  details: z.array(z.object({ label: z.string(), text: z.string() })),
  rawInput: optionalText,
  /** Names what is drawn of the files: only with the same name, the user consents to what the files are now. */
  drawn: optionalText,
  /** Files with unsaved changes that the request is about. `allows` is the option that allows it once. */
  unsaved: z.optional(z.object({ text: z.string(), files: z.array(locationSchema), allows: optionalText })),
  /** Whether dismissing tells the agent no, if the agent offers an option for that. */
  rejectsWhenDismissed: z.boolean(),
  /**
   * Sorted by kind. `digit` chooses it, if it is below 10; `isMore` means that it is in the menu beside the row. `kind` is the host's text,
   * which always comes first; `name` is the agent's text if it says more; `reach` is the scope of an "always".
   */
  options: z.array(
    z.object({
      optionId: z.string(),
      digit: z.number(),
      isMore: z.optional(z.literal(true)),
      kind: z.string(),
      name: optionalText,
      reach: optionalText,
      icon: z.enum(['allows', 'allowsAlways', 'rejects', 'unknown']),
      primary: z.boolean(),
    }),
  ),
});
/** In a form with a single field without a label, the message is the question. */
export const formPromptSchema = z.object({
  kind: z.literal('form'),
  ...promptBase,
  message: z.string(),
  fields: z.array(fieldSchema),
  /** The agent distinguishes "no" from "dismissed", so the user can choose either. */
  canDecline: z.boolean(),
});
/** `url` is complete. */
export const urlPromptSchema = z.object({
  kind: z.literal('url'),
  ...promptBase,
  message: z.string(),
  url: z.string(),
  /** The user has opened the page, and the agent waits for what happens there. */
  isOpened: z.optional(z.literal(true)),
});
export const confirmPromptSchema = z.object({ kind: z.literal('confirm'), ...promptBase, message: optionalText });
export const editorPromptSchema = z.object({ kind: z.literal('editor'), ...promptBase, prefill: z.string() });
export const promptSchema = z.discriminatedUnion('kind', [
  permissionPromptSchema,
  formPromptSchema,
  urlPromptSchema,
  confirmPromptSchema,
  editorPromptSchema,
]);
export type PromptView = z.infer<typeof promptSchema>;
export type PermissionPromptView = z.infer<typeof permissionPromptSchema>;
export type FormPromptView = z.infer<typeof formPromptSchema>;
export type UrlPromptView = z.infer<typeof urlPromptSchema>;
export type ConfirmPromptView = z.infer<typeof confirmPromptSchema>;
export type EditorPromptView = z.infer<typeof editorPromptSchema>;

/** The content of an empty chat. `recent` has a button for each of the last conversations in the folder. */
export const emptySchema = z.object({
  title: z.string(),
  text: z.string(),
  examples: z.array(z.string()),
  recent: z.optional(z.array(buttonSchema)),
  buttons: z.array(buttonSchema),
});
export type EmptyView = z.infer<typeof emptySchema>;

export const chatViewSchema = z.object({
  header: headerSchema,
  banner: z.nullable(bannerSchema),
  /** In the order of the conversation. */
  items: z.array(itemSchema),
  empty: emptySchema,
  /** Each plan has at least one entry. */
  plans: z.array(z.array(planEntrySchema)),
  /** Oldest first. */
  prompts: z.array(promptSchema),
  wait: z.nullable(waitSchema),
  queue: z.array(queuedSchema),
  held: z.array(heldSchema),
  /** Changes that the user has not reviewed yet: how many files, and what can be done with all of them. */
  review: z.nullable(lineSchema),
  /** What agents changed on disk under text that the user has not saved. */
  unsaved: z.nullable(lineSchema),
  composer: composerSchema,
});
export type ChatView = z.infer<typeof chatViewSchema>;
