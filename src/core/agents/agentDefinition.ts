/**
 * An agent, by how the host reaches it: a process that the host starts, or a server that runs by itself. It comes from a setting, the
 * command line or the built-in list, and is already validated.
 */
export type AgentDefinition = ProcessDefinition | ServerDefinition;

interface AgentIdentity {
  /** Stable key. */
  readonly id: string;
  /** The name for users. */
  readonly label: string;
  /** The user gave no label, so the label is only its command or its host. The name that the agent reports is better, once it is known. */
  readonly isUnnamed?: true;
  /** The wire protocol that it speaks: a name of `backends/protocols.ts`. */
  readonly protocol: string;
  /** The user's instructions for it, in addition to its own. The user is told if the agent takes none. */
  readonly systemPrompt?: string;
  /** The user allows it to ask the editor about the code in the folder. For front ends: the host only needs `AgentHostOptions.codeNavigation`. */
  readonly mayAskAboutCode?: true;
}

/** The host uses its stdin and stdout. */
export interface ProcessDefinition extends AgentIdentity {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables to add to the inherited environment; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
}

/** The host connects to a URL. */
export interface ServerDefinition extends AgentIdentity {
  /** In the form that `parseServerUrl` returns. */
  readonly url: string;
  /**
   * Where its key comes from. No definition contains the key itself, so that a key is never saved or shown with it. If it is absent, no key
   * is sent.
   */
  readonly key?: KeySource;
  /** The pin of the certificate's public key: `sha256/` followed by Base64. If it is absent, the system has to trust the certificate. */
  readonly pin?: string;
  /** The user agreed that the data is sent unencrypted over a network. */
  readonly isPlainAllowed?: true;
}

/** `environment`: a variable of the inherited environment; `storage`: the front end stores it. */
export type KeySource = { readonly type: 'environment'; readonly name: string } | { readonly type: 'storage' };

/** Returns the command line or the URL of an agent. For users; redact it before showing it. */
export function addressOf(agent: Pick<ProcessDefinition, 'command' | 'args'> | Pick<ServerDefinition, 'url'>): string {
  return 'url' in agent ? agent.url : [agent.command, ...agent.args].join(' ');
}

/** Returns the environment of a process of this agent; for a server, the inherited one. */
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
