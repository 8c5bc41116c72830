const inTerminal = (agent: string): string => `To use it, start ${agent} in a terminal.`;

/** What to use instead of a command of an agent's own screen. For every other command, that screen is the only place. */
const texts: Readonly<Record<string, (agent: string) => string>> = {
  settings: () => 'Use the options of the session instead, and the settings file of the agent for everything else.',
  model: () => 'Choose the model in the options of the session instead.',
  thinking: () => 'Choose the thinking level in the options of the session instead.',
  import: () => 'Open the file as a session instead: with "Open Session" in the editor, or with `acp-host chat --session FILE`.',
  share: () => 'Use /export, which saves the session as an HTML file, and share that file.',
  copy: () => 'Copy the answer here, or use /last to show it again.',
  session: () => 'Use /stats instead.',
  tree: () => 'Use /fork instead, which starts a new session that ends before one of your messages.',
  login: (agent) => `Start ${agent} in a terminal and sign in there, then restart the agent here.`,
  logout: (agent) => `Start ${agent} in a terminal and sign out there, then restart the agent here.`,
  resume: () => 'Open another conversation from the history of the editor instead, or with `acp-host chat --session ID`.',
  reload: () => 'Restart the agent instead.',
  quit: () => 'Close the conversation instead.',
};

export function screenCommandText(command: string, agent: string): string {
  const instead = (Object.hasOwn(texts, command) ? texts[command] : undefined) ?? inTerminal;
  return `/${command} works only on ${agent}'s own screen. ${instead(agent)}`;
}
