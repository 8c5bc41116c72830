/** An agent, by how it is reached: a process that the host starts, or a server that runs by itself. From a setting, the command line or the built-in list; already validated. */
export type AgentDefinition = ProcessDefinition | ServerDefinition;

interface AgentIdentity {
  /** Stable key. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  /** Nobody gave it the label, which is only its command or its host: its own name is better, once it is known. */
  readonly isUnnamed?: true;
  /** Which wire protocol it speaks: a name of `backends/protocols.ts`. */
  readonly protocol: string;
  /** The user lets it ask the editor about the code in the folder. */
  readonly mayAskAboutCode?: true;
}

/** Spoken to over its stdin and stdout. */
export interface ProcessDefinition extends AgentIdentity {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the inherited environment; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
}

/** Spoken to at a URL. */
export interface ServerDefinition extends AgentIdentity {
  /** As `parseServerUrl` returns it. */
  readonly url: string;
  /** Where its key comes from. The key itself is in no definition, so that none is saved or shown. Absent: none is sent. */
  readonly key?: KeySource;
  /** Of the public key of its certificate: `sha256/` and Base64. Absent: the certificate has to be trusted by the system. */
  readonly pin?: string;
  /** Somebody agreed that what is said is sent unencrypted over a network. */
  readonly isPlainAllowed?: true;
}

/** `environment`: a variable of the inherited environment; `storage`: the front end keeps it. */
export type KeySource = { readonly type: 'environment'; readonly name: string } | { readonly type: 'storage' };

/** Where an agent is: its command line, or its URL. For people; redact before showing. */
export function addressOf(agent: Pick<ProcessDefinition, 'command' | 'args'> | Pick<ServerDefinition, 'url'>): string {
  return 'url' in agent ? agent.url : [agent.command, ...agent.args].join(' ');
}

/** What a process of this agent would find in its environment; for a server, what is inherited. */
export function environmentFor(
  definition: Pick<ProcessDefinition, 'env'> | Pick<ServerDefinition, 'url'>,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const env = { ...inherited };
  if ('url' in definition) return env;
  for (const [name, value] of Object.entries(definition.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
