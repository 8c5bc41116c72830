/** The commands of the extension: ids as in package.json (test/extension/manifest.test.ts compares them). */
export const commandIds = [
  'acpHost.openChat',
  'acpHost.openChatInEditor',
  'acpHost.newSession',
  'acpHost.showHistory',
  'acpHost.cancelTurn',
  'acpHost.restartAgent',
  'acpHost.selectAgent',
  'acpHost.selectMode',
  'acpHost.selectModel',
  'acpHost.sessionControls',
  'acpHost.showLog',
  'acpHost.showTraffic',
  'acpHost.reportProblem',
  'acpHost.doctor',
  'acpHost.addSelectionToChat',
  'acpHost.setApiKey',
  'acpHost.signIn',
] as const;

export type CommandId = (typeof commandIds)[number];

/** What each command does: a command without an entry does not compile. */
export type CommandTable = { readonly [Id in CommandId]: () => void | Promise<void> };
