/** What can be known about an agent by its name. Code asks whether a member is present, never what the agent is called. */
import type { AskGate } from '../session/agentHint.js';
import type { ContentBlock } from '../session/model.js';
import type { AcpQuirks } from './acpQuirks.js';
import type { AgentDefinition } from './agentDefinition.js';

export interface KnownAgent {
  /** Stable key of its definition, and the name that it reports about itself. */
  readonly id: string;
  /** Other names that it reports about itself. */
  readonly otherNames?: readonly string[];
  /** For people. */
  readonly label: string;
  /** The label inside a sentence, after an article. Absent: the label is a proper name. */
  readonly commonName?: string;
  /** Absent: only a person who configures it knows how to start it. */
  readonly launch?: AgentLaunch;
  /** Which wire protocol it speaks. Absent: ACP. */
  readonly protocol?: AgentDefinition['protocol'];
  /** Answers where no other agent was found and nobody chose one. */
  readonly isFallback?: true;
  readonly install?: AgentInstallation;
  /** What to send to an agent that is there to be tried out. */
  readonly tour?: AgentTour;
  /** Section of the settings about it, below that of the front end: `path`, and with `provider` the parts of a provider. */
  readonly settingsSection?: string;
  /** How it is given a model provider. Absent: it takes none from its host. */
  readonly provider?: ProviderForm;
  /** A session that is loaded in the clock minute in which it was created is destroyed by it. */
  readonly loadsFromNextMinute?: true;
  /** What differs from plain ACP in a version of it; the version as it reports it, possibly empty. */
  readonly acpQuirks?: (version: string) => AcpQuirks;
  /** What keeps it from acting without asking. Absent: nothing is known. */
  readonly askGate?: AskGate;
  /** Its own ACP method for a question to the user. Other agents may have adopted it, so that it is answered to each. */
  readonly askUserMethod?: string;
  /** Looks for what it cannot cope with. Pure; linear in the length of the prompt. */
  readonly checkPrompt?: (content: readonly ContentBlock[]) => PromptHang | undefined;
  /** It ends by itself when its stdin does, but may have to wait until then, for what it saves or what runs in the background. */
  readonly endsWithInput?: true;
  /** In the order in which they are shown. */
  readonly doctorChecks?: readonly AgentCheck[];
}

/** An agent whose provider can be set by its host. */
export interface ProviderAgent extends KnownAgent {
  readonly settingsSection: string;
  readonly provider: ProviderForm;
}

export function takesProvider(agent: KnownAgent | undefined): agent is ProviderAgent {
  return agent?.provider !== undefined && agent.settingsSection !== undefined;
}

/** `bundle`: a program that ships with the front end, by the name of its file; only the front end knows where it lies and which Node runs it. */
export type AgentLaunch = CommandLaunch | { readonly bundle: string };

export interface CommandLaunch {
  readonly command: string;
  readonly args: readonly string[];
}

export interface AgentInstallation {
  /** To be copied into a terminal. */
  readonly command: string;
}

export interface AgentTour {
  /** Makes it list everything that it can do. */
  readonly helpPrompt: string;
  readonly examples: readonly string[];
}

/** Which parts of a model provider an agent asks for, and how it is told. */
export interface ProviderForm {
  /** Name of the provider where none is set. */
  readonly defaultProvider: string;
  /** Names of wire formats that it can be told; the empty one is its own default. */
  readonly formats: readonly string[];
  /** Only what saves typing. */
  readonly presets: readonly ProviderPreset[];
  env(settings: ProviderSettings, inheritedEnv: Readonly<Record<string, string | undefined>>): EnvPatch;
}

export interface ProviderPreset {
  /** For people. */
  readonly label: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly format: string;
}

/** What the host holds of a provider; empty counts as not set. */
export interface ProviderSettings {
  /** In any case. Default: that of the form. */
  readonly provider?: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly model?: string;
  /** One of the form's formats. */
  readonly format?: string;
}

/** Added to the environment; `null` removes a variable. Same form as AgentDefinition.env. */
export type EnvPatch = Readonly<Record<string, string | null>>;

/** What a prompt is known to do to an agent. */
export interface PromptHang {
  /** The agent hangs on it: no answer, no stop, until it is through. */
  readonly kind: 'freezes';
  /** Length of the longest run without a break in it, in characters. */
  readonly runChars: number;
}

/** A look at something on this machine that only this agent depends on. Starts no agent. */
export interface AgentCheck {
  readonly check: 'provider';
  run(surroundings: AgentSurroundings): Promise<AgentFinding>;
}

export interface AgentSurroundings {
  /** Absolute, existing: the folder in which the agent works. */
  readonly cwd: string;
  /** The environment that the agent gets, its definition's own included. */
  readonly env: NodeJS.ProcessEnv;
}

/** What only this agent depends on, by the code of what was found. Of a key only whether it is there. */
export interface AgentFindings {
  readonly provider_configured: ProviderFacts;
  readonly provider_own_login: ProviderFacts;
  /** A key without these variables. */
  readonly provider_incomplete: ProviderFacts & { readonly missing: readonly string[] };
  readonly provider_missing: ProviderFacts & { readonly loginCommand: string };
}

/** Where an agent may have its model provider from. */
export interface ProviderFacts {
  /** Label of the agent. */
  readonly agent: string;
  /** Variables of its environment, and whether they are set. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** Where it keeps a login of its own, as people write it. */
  readonly loginFile: string;
  readonly hasLogin: boolean;
  /** The folder has a `.env`, which the agent reads, too. */
  readonly hasDotEnv: boolean;
}

/** `note`: worth knowing, nothing to do; `warning`: works, and may surprise; `problem`: keeps the agent from being used. */
export const findingStates = ['ok', 'note', 'warning', 'problem'] as const;
export type FindingState = (typeof findingStates)[number];

export type AgentFinding = {
  readonly [C in keyof AgentFindings]: { readonly state: FindingState; readonly code: C; readonly params: AgentFindings[C] };
}[keyof AgentFindings];
