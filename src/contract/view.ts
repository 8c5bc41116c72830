/** What the page draws. Plain data for a person's eyes: no wire names, no protocol versions, nothing to compute but layout. */
import * as z from 'zod/mini';
import { fieldSchema } from './formField.js';
import { attachmentSchema, buttonSchema, diffSchema, locationSchema } from './viewParts.js';

const id = z.string();
/** Milliseconds since the epoch. */
const time = z.number();
const optionalText = z.optional(z.string());

export const agentStateSchema = z.enum(['stopped', 'starting', 'reconnecting', 'ready', 'busy', 'waiting', 'failed']);
export type AgentState = z.infer<typeof agentStateSchema>;

/** The line on top. `since`: for the age of a state that is a wait. */
export const headerSchema = z.object({
  agent: z.string(),
  version: optionalText,
  model: optionalText,
  /** What must not be forgotten about the agent, in a word or two, and in full. */
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

export const userItemSchema = z.object({ kind: z.literal('user'), id, text: z.string(), attachments: z.array(attachmentSchema), at: time });
export const agentItemSchema = z.object({
  kind: z.literal('agent'),
  id,
  markdown: z.string(),
  attachments: z.array(attachmentSchema),
  open: z.boolean(),
  at: time,
});
export const thoughtItemSchema = z.object({
  kind: z.literal('thought'),
  id,
  text: z.string(),
  open: z.boolean(),
  startedAt: time,
  endedAt: z.optional(time),
});
export const toolItemSchema = z.object({
  kind: z.literal('tool'),
  id,
  toolKind: toolKindSchema,
  /** The agent's title; the accessible name of the card is "title (status)". */
  title: z.string(),
  /** One word for people: Read, Edit, Run, Search … ; the agent's title where none fits. */
  verb: z.string(),
  /** What it is about, on one line: a path, a command, a pattern. */
  target: optionalText,
  status: toolStatusSchema,
  /** The status in words, also for eyes that see no color: "running", "done", "failed", "ended" … */
  statusText: z.string(),
  /** Monospace text of what goes in, e.g. the command. */
  input: optionalText,
  /** Text output as it stands now; complete. */
  output: optionalText,
  diffs: z.array(diffSchema),
  locations: z.array(locationSchema),
  attachments: z.array(attachmentSchema),
  /** Pretty-printed JSON, cut to a sane length; the whole is opened by the intent `openRaw`. */
  rawInput: optionalText,
  rawOutput: optionalText,
  caveat: optionalText,
  startedAt: time,
  endedAt: z.optional(time),
  /** Milliseconds in which it waited for the user, and since when it does so. */
  waitedMs: z.optional(z.number()),
  waitsSince: z.optional(time),
});
export const noticeItemSchema = z.object({
  kind: z.literal('notice'),
  id,
  severity: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  description: optionalText,
  /** The description is of interest to few: folded, and without a frame. */
  folds: z.optional(z.boolean()),
  buttons: z.array(buttonSchema),
  at: time,
});
/** The line under a turn. `text` absent: the ordinary end. `files`: what an interrupted turn may have changed. */
export const turnEndItemSchema = z.object({
  kind: z.literal('turn_end'),
  id,
  severity: z.enum(['info', 'warning', 'error']),
  text: optionalText,
  detail: optionalText,
  durationMs: z.number(),
  files: z.array(locationSchema),
  buttons: z.array(buttonSchema),
  at: time,
});

export const itemSchema = z.discriminatedUnion('kind', [
  userItemSchema,
  agentItemSchema,
  thoughtItemSchema,
  toolItemSchema,
  noticeItemSchema,
  turnEndItemSchema,
]);
export type ItemView = z.infer<typeof itemSchema>;
export type ToolItemView = z.infer<typeof toolItemSchema>;

export const planEntrySchema = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanEntryView = z.infer<typeof planEntrySchema>;

/** The value of an option that takes others than it lists: the user is asked for one. */
export const otherValue = 'acp-host.other';

/** A selector of the composer: mode, model, or another option of the agent. */
export const selectorSchema = z.object({
  id: z.string(),
  label: z.string(),
  category: z.enum(['mode', 'model', 'other']),
  /** A warning or explanation for the current value, e.g. that this mode writes without asking. */
  hint: optionalText,
  disabled: z.optional(z.boolean()),
  value: z.union([z.string(), z.boolean()]),
  /** Empty for a boolean. */
  options: z.array(z.object({ value: z.string(), label: z.string(), description: optionalText })),
});
export type SelectorView = z.infer<typeof selectorSchema>;

export const commandSchema = z.object({ name: z.string(), description: z.string(), hint: optionalText });
export type CommandView = z.infer<typeof commandSchema>;

export const contextChipSchema = z.object({ id: z.string(), label: z.string(), title: z.string() });
export type ContextChipView = z.infer<typeof contextChipSchema>;

export const composerSchema = z.object({
  placeholder: z.string(),
  /** A turn runs: Stop is offered, Enter queues. */
  busy: z.boolean(),
  /** The turn runs in another process, so it cannot be stopped here. */
  isElsewhere: z.optional(z.literal(true)),
  /** The turn that runs takes a message at once. */
  steers: z.optional(z.boolean()),
  /** Why nothing can be sent now; absent: it can. */
  disabledReason: optionalText,
  selectors: z.array(selectorSchema),
  commands: z.array(commandSchema),
  chips: z.array(contextChipSchema),
  /** Tokens used and size of the context, only where the agent reports it. */
  usage: z.optional(z.object({ used: z.number(), size: z.number(), cost: optionalText })),
});
export type ComposerView = z.infer<typeof composerSchema>;

/** `isFixed`: it is in the queue of an agent that lets nothing be taken out. `goes`: when the agent gets to it, in two words, where that is not plain. */
export const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  isFixed: z.optional(z.boolean()),
  goes: optionalText,
});

/** Messages on hold until the user decides: why, and what the user can do. None of them was sent. */
export const heldSchema = z.object({
  severity: z.enum(['info', 'warning']),
  title: z.string(),
  text: z.string(),
  prompts: z.array(queuedSchema),
  buttons: z.array(buttonSchema),
});
export type HeldView = z.infer<typeof heldSchema>;

/** A wait: who, for what, since when. Shown above the composer; the page counts its age, or the time that is left `until` something happens by itself. */
export const waitSchema = z.object({ text: z.string(), since: time, until: z.optional(time), buttons: z.array(buttonSchema) });
export type WaitView = z.infer<typeof waitSchema>;

/** A card on top of everything else in the flow: sign in, agent failed, get agentao. */
export const bannerSchema = z.object({
  severity: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  text: z.string(),
  /** A command to copy, monospace. */
  command: optionalText,
  detail: optionalText,
  buttons: z.array(buttonSchema),
});
export type BannerView = z.infer<typeof bannerSchema>;

const promptBase = {
  id: z.string(),
  agent: z.string(),
  /** The name of the conversation, where the prompt stands outside of it. */
  conversation: optionalText,
  at: time,
  /** The dialog's name, a question: "Run a command?" */
  title: z.string(),
  /** What is unusual about it, e.g. that it belongs to no turn. */
  note: optionalText,
  /** Then it is dismissed by itself. */
  until: z.optional(time),
};
/** A piece of what a permission request carries. Texts are complete, and what they hide is spelled out. */
export const requestPartSchema = z.discriminatedUnion('type', [
  /** `code`: monospace, as it is, e.g. a command; otherwise the agent's words. */
  z.object({
    type: z.literal('text'),
    label: optionalText,
    text: z.string(),
    code: z.boolean(),
    copy: z.optional(z.enum(['command', 'address'])),
  }),
  /** A short value beside its name. */
  z.object({ type: z.literal('value'), label: z.string(), text: z.string() }),
  /** `to`: where it moves. */
  z.object({ type: z.literal('path'), location: locationSchema, to: z.optional(locationSchema) }),
  z.object({ type: z.literal('diff'), diff: diffSchema }),
]);
export type RequestPartView = z.infer<typeof requestPartSchema>;

export const permissionPromptSchema = z.object({
  kind: z.literal('permission'),
  ...promptBase,
  toolKind: toolKindSchema,
  /** The agent's own title where the rest does not say it. */
  toolTitle: optionalText,
  /** All of them together are the whole request. */
  parts: z.array(requestPartSchema),
  /** What the host sees in it that makes a second look worthwhile. */
  risks: z.array(z.string()),
  /** Where it happens. */
  context: z.array(z.string()),
  /** What stands behind the words, e.g. whole paths. */
  details: z.array(z.object({ label: z.string(), text: z.string() })),
  rawInput: optionalText,
  /** What dismissing tells the agent: a no, where it offers one. */
  rejectsWhenDismissed: z.boolean(),
  /** In the order of their digits. `kind`: the host's words, always first; `name`: the agent's, where they say more; `reach`: how far an "always" goes. */
  options: z.array(
    z.object({
      optionId: z.string(),
      kind: z.string(),
      name: optionalText,
      reach: optionalText,
      icon: z.enum(['allows', 'allowsAlways', 'rejects', 'unknown']),
      primary: z.boolean(),
    }),
  ),
});
/** A single field without a label is a question: the message asks it. */
export const formPromptSchema = z.object({
  kind: z.literal('form'),
  ...promptBase,
  message: z.string(),
  fields: z.array(fieldSchema),
  /** The agent tells "no" from "dismissed", so both are offered. */
  canDecline: z.boolean(),
});
/** `url`: in full. */
export const urlPromptSchema = z.object({ kind: z.literal('url'), ...promptBase, message: z.string(), url: z.string() });
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

/** What an empty chat says. */
export const emptySchema = z.object({ title: z.string(), text: z.string(), examples: z.array(z.string()), buttons: z.array(buttonSchema) });
export type EmptyView = z.infer<typeof emptySchema>;

export const chatViewSchema = z.object({
  header: headerSchema,
  banner: z.nullable(bannerSchema),
  /** In the order of the conversation. */
  items: z.array(itemSchema),
  empty: emptySchema,
  plan: z.array(planEntrySchema),
  /** Oldest first. */
  prompts: z.array(promptSchema),
  wait: z.nullable(waitSchema),
  queue: z.array(queuedSchema),
  held: z.array(heldSchema),
  composer: composerSchema,
});
export type ChatView = z.infer<typeof chatViewSchema>;
