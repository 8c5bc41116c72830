import type { AcpQuirks } from './acpQuirks.js';
import { retryIn } from './standardStderr.js';

/** An agent that keeps to ACP v1, or of which nothing else is known. */
export const standardQuirks: AcpQuirks = {
  toolContentAppends: false,
  repeatsTextAsThought: false,
  reusesToolCallIds: false,
  asksBeforeToolCall: false,
  requestsDescribeToolCalls: true,
  relativePaths: false,
  toolKind: (_title, kind) => kind,
  pathsOf: () => [],
  announcedEdit: () => undefined,
  caveat: () => undefined,
  permissionContent: (content) => content,
  alwaysScope: () => undefined,
  modeHints: {},
  promptBlock: (block) => block,
  retryIn,
  classifyError: () => undefined,
};
