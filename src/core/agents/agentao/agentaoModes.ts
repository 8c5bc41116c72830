/** agentao's modes in agentao's own words, for a session in which it does not tell them. Source: agentao 0.5.17; the same in 0.4.20. */

/** What every version since 0.4.20 offers; `session/load` does not repeat it, and starts in the first of them that writes. */
export const assumedMode = {
  currentValue: 'workspace-write',
  choices: [
    { value: 'read-only', name: 'Read-only', description: 'No writes or shell.' },
    { value: 'workspace-write', name: 'Workspace write', description: 'Writes + safe shell; asks for web.' },
    { value: 'full-access', name: 'Full access', description: 'All tools, no prompts.' },
    { value: 'plan', name: 'Plan', description: 'Plans only; does not execute.' },
  ],
};
