/** The one line that `agents`, `changes`, `doctor`, `engine`, `sessions`, `show`, `status` and `undo` print with `--format json`. Documented in docs/cli.md. */
import * as z from 'zod/mini';
import { checks, findingStates, unkeptReasons } from '../../core/index.js';

// What all lines of `--format json` share.

export const schemaVersion = 1;

export const versioned = { schemaVersion: z.literal(schemaVersion) } as const;

/** How a turn ended. */
export const turnOutcome = z.enum(['ended', 'failed', 'interrupted']);

const flag = z.optional(z.literal(true));

/** What a turn did to a file. */
export const changedFile = z.strictObject({
  /** Relative to the folder of the conversation, with `/`. */
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed']),
  /** The earlier path of a renamed file. */
  from: z.optional(z.string()),
  /** In lines; 0 for a file without text. */
  added: z.number(),
  removed: z.number(),
  binary: flag,
  /** `tool`: a tool call announced the change. `other`: nobody did, so a command or another program made it. */
  by: z.enum(['tool', 'other']),
  /** The change may be the user's, who saved the file during the turn, or who changed it after the turn was `interrupted`. */
  alsoUser: flag,
  /** It was undone since. */
  undone: flag,
  /** A version of it is not saved, so it can't be undone: it is over 5 MB, may hold secrets, can't be read, was changed before it was recorded, or was removed from the project's repository. */
  unkept: z.optional(z.enum(unkeptReasons)),
});

export type ChangedFileFacts = z.infer<typeof changedFile>;

/**
 * `late`: the agent began before the files were recorded. `shared`: another conversation worked in the folder at the same time. `interrupted`:
 * acp-host ended unexpectedly during the turn, so there may be changes that were made later.
 */
export const changesProblems = z.optional(z.array(z.enum(['late', 'shared', 'interrupted'])));

/** The one line of `acp-host agents --format json`. */
export const agentsLine = z.strictObject({
  ...versioned,
  agents: z.array(
    z.strictObject({
      id: z.string(),
      label: z.string(),
      command: z.string(),
      args: z.array(z.string()),
      /** The absolute path of the program; null if it was not found. */
      path: z.nullable(z.string()),
      /** Whether `run` uses this agent by default. */
      default: z.boolean(),
      /** Present if ACP Host installed it. `update` is the version that the registry has now; null if that is the same one. */
      installed: z.optional(z.strictObject({ version: z.string(), update: z.nullable(z.string()) })),
    }),
  ),
  /** Those that `acp-host install` can install. */
  available: z.array(
    z.strictObject({
      id: z.string(),
      label: z.string(),
      version: z.string(),
      description: z.nullable(z.string()),
      license: z.nullable(z.string()),
      /** Why the registry doesn't update it. */
      quarantine: z.nullable(z.string()),
      source: z.enum(['npm', 'python', 'binary']),
      /** What is missing here to install it. */
      needs: z.nullable(z.enum(['npm', 'python'])),
      /** It is the ACP adapter of a program that was found. */
      isMissingAdapter: z.boolean(),
    }),
  ),
  /** Those that the settings of other applications have. */
  elsewhere: z.array(
    z.strictObject({
      name: z.string(),
      /** The application; `vscode`: another extension of VS Code. */
      host: z.enum(['zed', 'jetbrains', 'vscode']),
      /** Without secrets, like `args`. */
      command: z.string(),
      args: z.array(z.string()),
      /** The names of the variables that are set for it. */
      variables: z.array(z.string()),
    }),
  ),
  registry: z.strictObject({
    /** An ISO date. */
    asOf: z.string(),
    /** Null for the list that ships with ACP Host. */
    source: z.nullable(z.string()),
    /** Entries that are not used, and why. */
    leftOut: z.array(z.strictObject({ id: z.string(), why: z.string(), detail: z.string() })),
  }),
});

export type AgentsLine = z.infer<typeof agentsLine>;

/** The one line of `acp-host doctor --format json`. */
export const doctorLine = z.strictObject({
  ...versioned,
  agent: z.string(),
  /** In the order of the checks. */
  findings: z.array(
    z.strictObject({
      check: z.enum(checks),
      /** `problem`: prevents the use of the agent. */
      state: z.enum(findingStates),
      title: z.string(),
      detail: z.optional(z.string()),
      /** What to do about it. */
      advice: z.optional(z.string()),
    }),
  ),
});

export type DoctorLine = z.infer<typeof doctorLine>;

/** The one line of `acp-host sessions --format json`; newest first. With an agent, only its sessions. */
export const sessionsLine = z.strictObject({
  ...versioned,
  sessions: z.array(
    z.strictObject({
      id: z.string(),
      agent: z.string(),
      /** Absolute. */
      cwd: z.string(),
      /** The user's name for the session, else the beginning of its first prompt. */
      title: z.string(),
      /** ISO 8601, UTC. */
      created: z.string(),
      /** The state of its last turn. */
      state: z.enum(['idle', 'running', 'interrupted']),
      /** The ID of its conversation. */
      conversation: z.string(),
      /** With `--search`: the last place where it was found; absent if only the title has it. */
      found: z.optional(
        z.strictObject({
          /** Who wrote it; or what a tool call ran or touched. */
          by: z.enum(['user', 'agent', 'command', 'file']),
          /** A part of it, on one line. */
          text: z.string(),
        }),
      ),
    }),
  ),
  /** The conversations of the editor in which nothing was sent yet; newest first. They have no session, and so no ID. */
  unsent: z.array(
    z.strictObject({
      /** Absolute. */
      cwd: z.string(),
      /** The user's name for the conversation, else the beginning of the unsent message or draft. */
      title: z.string(),
      /** ISO 8601, UTC. */
      created: z.string(),
    }),
  ),
  /** With an agent: the sessions that it has and that did not begin here. */
  ofAgent: z.optional(
    z.strictObject({
      sessions: z.array(
        z.strictObject({
          id: z.string(),
          agent: z.string(),
          /** Absolute. */
          cwd: z.string(),
          /** The agent's name for it; may be empty. */
          title: z.string(),
          /** ISO 8601, UTC; null if the agent does not tell. */
          updated: z.nullable(z.string()),
        }),
      ),
      /** Why there may be more; null if these are all. */
      incomplete: z.nullable(z.enum(['limit', 'repeated', 'slow'])),
      /** The number of entries of the agent's list that could not be read. */
      unreadable: z.number(),
    }),
  ),
});

export type SessionsLine = z.infer<typeof sessionsLine>;

const engineFacts = {
  pid: z.number(),
  version: z.string(),
  /** ISO 8601, UTC. */
  since: z.string(),
  memoryBytes: z.number(),
};

/** The one line of `acp-host status --format json`; with `--watch`, one for each change. */
export const statusLine = z.strictObject({
  ...versioned,
  /** Null if it does not run, and so nothing does. */
  engine: z.nullable(z.strictObject(engineFacts)),
  /** The open ones, except for idle ones in which nothing was said yet. What waits for the user comes first. */
  conversations: z.array(
    z.strictObject({
      id: z.string(),
      /** `waiting`: for the user. `interrupted`: its last turn was, or messages are on hold. */
      state: z.enum(['running', 'waiting', 'interrupted', 'idle']),
      /** As `--agent` accepts it, or `custom`; null before one was chosen. */
      agent: z.nullable(z.string()),
      /** Absolute. */
      cwd: z.string(),
      title: z.string(),
      /** Since when it is in this state; ISO 8601, UTC. */
      since: z.string(),
    }),
  ),
});

export type StatusLine = z.infer<typeof statusLine>;

/** The one line of `acp-host engine --format json`. */
export const engineLine = z.strictObject({
  ...versioned,
  /** Null if it does not run. */
  engine: z.nullable(
    z.strictObject({
      ...engineFacts,
      /** The windows and terminals that use it. */
      frontEnds: z.number(),
      /** The conversations in which something runs or waits. */
      running: z.number(),
    }),
  ),
});

export type EngineLine = z.infer<typeof engineLine>;

/** The one line of `acp-host changes --format json`. */
export const changesLine = z.strictObject({
  ...versioned,
  /** Of the conversation. */
  id: z.string(),
  /** Only those that changed something, oldest first. */
  turns: z.array(
    z.strictObject({
      /** Its number among the turns of the conversation, 1-based. */
      turn: z.number(),
      /** It still changes files. */
      running: z.optional(z.literal(true)),
      problems: changesProblems,
      files: z.array(changedFile),
    }),
  ),
});

export type ChangesLine = z.infer<typeof changesLine>;

/** The one line of `acp-host undo --format json`. */
export const undoLine = z.strictObject({
  ...versioned,
  /** Of the conversation. */
  id: z.string(),
  /** The files that are as they were before, apart from what was changed elsewhere in them since. */
  undone: z.array(z.string()),
  left: z.array(
    z.strictObject({
      path: z.string(),
      /** `changed`: in the same lines since; with `detail`, it was renamed to that. `unkept`: its earlier content is not saved. `also_user`: it may be the user's change, and was not named. `refused`: by the operating system or git. `failed`: nothing was undone in its folder. */
      why: z.enum(['changed', 'unkept', 'also_user', 'refused', 'failed']),
      /** `refused`: the text of the operating system or git. `unkept`: the reason, as in `unkept` of a changed file. `failed`: the reason, as in an error. */
      detail: z.optional(z.string()),
    }),
  ),
});

export type UndoLine = z.infer<typeof undoLine>;

/** The sub-agent that it belongs to; absent: the agent itself. */
const subagent = z.optional(z.string());

const shownItem = z.union([
  z.strictObject({ type: z.enum(['prompt', 'answer', 'thought']), at: z.string(), text: z.string(), subagent }),
  z.strictObject({
    type: z.literal('tool'),
    at: z.string(),
    title: z.string(),
    kind: z.string(),
    /** That of the agent, or `cancelled` in a canceled turn, `unreported` if the agent reported no end, `rejected` if the user did not permit it. */
    status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'unreported', 'rejected']),
    /** Present for a command if the agent reports it. */
    exit: z.optional(z.strictObject({ code: z.optional(z.number()), signal: z.optional(z.string()) })),
    paths: z.array(z.string()),
    subagent,
  }),
  z.strictObject({ type: z.literal('notice'), at: z.string(), severity: z.enum(['info', 'warning', 'error']), text: z.string(), subagent }),
  /** A plan in Markdown. */
  z.strictObject({ type: z.literal('plan'), at: z.string(), text: z.string(), subagent }),
  /** Its items name its `id` as their `subagent`. `tools`: how many tool calls it made. */
  z.strictObject({
    type: z.literal('subagent'),
    at: z.string(),
    id: z.string(),
    title: z.string(),
    status: z.enum(['unknown', 'running', 'requires_action', 'idle', 'cancelled', 'failed', 'unreported']),
    tools: z.number(),
    subagent,
  }),
  /** The end of a turn, as in `turn`. */
  z.strictObject({
    type: z.literal('end'),
    at: z.string(),
    outcome: turnOutcome,
    stopReason: z.optional(z.string()),
    message: z.optional(z.string()),
  }),
]);

export type ShownItem = z.infer<typeof shownItem>;

/** The one line of `acp-host show --format json`. */
export const showLine = z.strictObject({
  ...versioned,
  id: z.string(),
  agent: z.string(),
  cwd: z.string(),
  created: z.string(),
  /** In the order in which they first appeared. */
  items: z.array(shownItem),
  /** The last turn has no recorded end: it is in progress or was interrupted. */
  open: z.boolean(),
  /** Lines of the journal that could not be read. */
  dropped: z.number(),
});

export type ShowLine = z.infer<typeof showLine>;
