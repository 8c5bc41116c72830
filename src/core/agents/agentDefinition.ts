/** How to start an agent. Comes from a setting, the command line or the built-in list; already validated. */
export interface AgentDefinition {
  /** Stable key, e.g. `agentao`. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the inherited environment; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Which wire protocol it speaks. */
  readonly protocol: 'acp';
}
