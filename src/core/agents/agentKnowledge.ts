/** What can be known about an agent by its name. Code checks whether a member is present, never the name of the agent. */
import type { AskGate } from '../session/agentHint.js';
import type { ContentBlock } from '../session/model.js';
import type { AcpQuirks } from './acpQuirks.js';
import type { AgentDefinition } from './agentDefinition.js';

/** What the host knows about one agent by its name. */
export interface KnownAgent {
  /** Stable key of its definition, and the name that it reports in the handshake. */
  readonly id: string;
  /** Other names that it reports in the handshake. */
  readonly otherNames?: readonly string[];
  /** Its id in the ACP registry, if it is there. No other entry of the registry may have a name of this agent. */
  readonly registryId?: string;
  /** The name for users. */
  readonly label: string;
  /** The label inside a sentence, after an article. If it is absent, the label is a proper name. */
  readonly commonName?: string;
  /** If it is absent, only the user who configures the agent knows how to start it. */
  readonly launch?: AgentLaunch;
  /** The program that the user knows it by, if `launch` starts an adapter to that program. */
  readonly program?: { readonly command: string };
  /** The wire protocol that it speaks. If it is absent, the protocol is ACP. */
  readonly protocol?: AgentDefinition['protocol'];
  /** Used if no other agent was found and the user chose none. */
  readonly isFallback?: true;
  readonly install?: AgentInstallation;
  /** What to send to an agent that exists for trying things out. */
  readonly tour?: AgentTour;
  /** The section of its settings, below that of the front end: `path`, and with `provider` also the parts of a provider. */
  readonly settingsSection?: string;
  /** How the host configures its model provider. Absent if the agent does not take one from the host. */
  readonly provider?: ProviderForm;
  /** Loading a session in the same clock minute in which it was created destroys the session. */
  readonly loadsFromNextMinute?: true;
  /** How a version of the agent differs from plain ACP. The version is the one that the agent reports, possibly empty. */
  readonly acpQuirks?: (version: string) => AcpQuirks;
  /** What prevents it from acting without asking. Absent if nothing is known. */
  readonly askGate?: AskGate;
  /** Its own ACP method for a question to the user. Other agents may have adopted the method, so the host answers it for every agent. */
  readonly askUserMethod?: string;
  /** Looks for content that the agent cannot handle. Pure; linear in the length of the prompt. */
  readonly checkPrompt?: (content: readonly ContentBlock[]) => PromptHang | undefined;
  /** It ends by itself when its stdin ends, but may need time until then, to save data or to finish background work. */
  readonly endsWithInput?: true;
  /** In the order in which they are shown. */
  readonly doctorChecks?: readonly AgentCheck[];
}

/** An agent whose provider the host can set. */
export interface ProviderAgent extends KnownAgent {
  readonly settingsSection: string;
  readonly provider: ProviderForm;
}

/** Whether the host can set the agent's provider, which requires a form for it and a section of settings. */
export function takesProvider(agent: KnownAgent | undefined): agent is ProviderAgent {
  return agent?.provider !== undefined && agent.settingsSection !== undefined;
}

/**
 * `bundle` names a program that ships with the front end, by its file name. Only the front end knows where the file is and which Node runs
 * it.
 */
export type AgentLaunch = CommandLaunch | { readonly bundle: string };

export interface CommandLaunch {
  readonly command: string;
  readonly args: readonly string[];
}

export interface AgentInstallation {
  /** A command to copy into a terminal. */
  readonly command: string;
  /** What does the same without the program of `command`, the best first. */
  readonly otherCommands?: readonly string[];
}

export interface AgentTour {
  /** Makes the agent list everything that it can do. */
  readonly helpPrompt: string;
  readonly examples: readonly string[];
}

/** The parts of a model provider that an agent needs, and how to pass them to it. */
export interface ProviderForm {
  /** The name of the provider if none is set. */
  readonly defaultProvider: string;
  /** The names of the wire formats that it accepts; the empty one stands for its default. */
  readonly formats: readonly string[];
  /** Suggestions that save typing. Any other provider is possible too. */
  readonly presets: readonly ProviderPreset[];
  env(settings: ProviderSettings, inheritedEnv: Readonly<Record<string, string | undefined>>): EnvPatch;
}

/** The base URL and format of a model provider, to choose by its name. */
export interface ProviderPreset {
  /** The name for users. */
  readonly label: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly format: string;
}

/** What the host knows of a provider; an empty text counts as not set. */
export interface ProviderSettings {
  /** Case-insensitive. The default is that of the form. */
  readonly provider?: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly model?: string;
  /** One of the form's formats. */
  readonly format?: string;
}

/** Variables to add to the environment; `null` removes a variable. Has the same form as AgentDefinition.env. */
export type EnvPatch = Readonly<Record<string, string | null>>;

/** What a prompt is known to do to an agent. */
export interface PromptHang {
  /** The agent hangs while it processes the prompt: it neither answers nor stops. */
  readonly kind: 'freezes';
  /** Length of the longest run of characters without a break, in characters. */
  readonly runChars: number;
}

/** A check of something on this machine that only this agent depends on. Starts no agent. */
export interface AgentCheck {
  readonly check: 'provider';
  run(context: CheckContext): Promise<AgentFinding>;
}

export interface CheckContext {
  /** Absolute, existing: the folder in which the agent works. */
  readonly cwd: string;
  /** The environment of the agent, including that of its definition. */
  readonly env: NodeJS.ProcessEnv;
}

/** The findings about what only this agent depends on, by code. They only say whether a key is set, never its value. */
export interface AgentFindings {
  readonly provider_configured: ProviderFacts;
  readonly provider_own_login: ProviderFacts;
  /** There is a key, but these variables are missing. */
  readonly provider_incomplete: ProviderFacts & { readonly missing: readonly string[] };
  readonly provider_missing: ProviderFacts & { readonly loginCommand: string };
}

/** Where an agent may get its model provider from. */
export interface ProviderFacts {
  /** The label of the agent. */
  readonly agent: string;
  /** Variables of its environment, and whether they are set. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** The file with its own login, as users write the path. */
  readonly loginFile: string;
  readonly hasLogin: boolean;
  /** The folder contains a `.env`, which the agent reads too. */
  readonly hasDotEnv: boolean;
}

/** `note`: for information; `warning`: works, but may surprise; `problem`: prevents the use of the agent. */
export const findingStates = ['ok', 'note', 'warning', 'problem'] as const;
/** How serious a finding is. */
export type FindingState = (typeof findingStates)[number];

export type AgentFinding = {
  readonly [C in keyof AgentFindings]: { readonly state: FindingState; readonly code: C; readonly params: AgentFindings[C] };
}[keyof AgentFindings];
