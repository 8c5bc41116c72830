import type { AcpQuirks } from './acpQuirks.js';
import { retryIn } from './standardStderr.js';

const asRoot = String.raw`(?:\b(?:as|by) (?:the )?(?:root|superuser)(?=$|[^\w\s-]|\s+(?:user|without|unless|in|or|is|for)\b)|\broot(?:\/sudo)? (?:privileges|user)\b)`;
const no = String.raw`\b(?:cannot|can't|can not|must not|should not|do not|don't|not (?:allowed|supported|permitted|recommended)|refus\w+)`;
/** Agents phrase this in many ways, but each has a negation and root in one sentence. */
const refusesRoot = new RegExp(`${no}\\b[^.\\n]{0,80}?${asRoot}|${asRoot}[^.\\n]{0,80}?${no}\\b`, 'i');

/** The quirks of an agent that follows ACP v1, or of which nothing else is known. */
export const standardQuirks: AcpQuirks = {
  toolContentAppends: false,
  repeatsTextAsThought: false,
  reusesToolCallIds: false,
  asksBeforeToolCall: false,
  requestsDescribeToolCalls: true,
  relativePaths: false,
  forksAtMessage: false,
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
  failureHint: (reason) => (refusesRoot.test(reason) ? { code: 'refuses_root', params: {} } : undefined),
};
