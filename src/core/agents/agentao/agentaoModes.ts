/** agentao's modes in its own words, for sessions in which it does not report them. Source: agentao 0.5.17; the same in 0.4.20. */

/**
 * What every version since 0.4.20 offers. `session/load` does not report it, and such a session starts in the first mode that can write.
 */
export const assumedMode = {
  currentValue: 'workspace-write',
  choices: [
    { value: 'read-only', name: 'Read-only', description: 'No writes or shell.' },
    { value: 'workspace-write', name: 'Workspace write', description: 'Writes + safe shell; asks for web.' },
    { value: 'full-access', name: 'Full access', description: 'All tools, no prompts.' },
    { value: 'plan', name: 'Plan', description: 'Plans only; does not execute.' },
  ],
};
