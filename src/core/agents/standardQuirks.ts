import type { Profile } from './acpQuirks.js';

/** An agent that keeps to ACP v1, or of which nothing else is known. */
export const standardProfile: Profile = {
  name: 'standard',
  toolContentAppends: false,
  repeatsTextAsThought: false,
  reusesToolCallIds: false,
  asksBeforeToolCall: false,
  requestsDescribeToolCalls: true,
  relativePaths: false,
  freezesOnRunsOverChars: undefined,
  toolKind: (_title, kind) => kind,
  pathsOf: () => [],
  announcedEdit: () => undefined,
  caveat: () => undefined,
  permissionContent: (content) => content,
  alwaysScope: () => undefined,
  modes: (modes) => modes,
  promptBlock: (block) => block,
  classifyError: (error) => error,
};
