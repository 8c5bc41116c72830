/** How to start an agent. Comes from a setting, the command line or the built-in list; already validated. */
export interface AgentDefinition {
  /** Stable key. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  /** Nobody gave it the label, which is only its command: its own name is better, once it is known. */
  readonly isUnnamed?: true;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the inherited environment; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Which wire protocol it speaks: a name of `backends/protocols.ts`. */
  readonly protocol: string;
}

/** What a process of this agent would find in its environment. */
export function environmentFor(definition: Pick<AgentDefinition, 'env'>, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env = { ...inherited };
  for (const [name, value] of Object.entries(definition.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
