import type { AcpQuirks, AnnouncedRetry } from './acpQuirks.js';

const status = String.raw`\b(408|409|425|429|500|502|503|504|522|524|529)\b`;
/** `Attempt 1 failed with status 429. Retrying with backoff...`, `retrying 2/5 in 210ms (http 503)`, `429 Too Many Requests, retrying in 8s`. */
const statusFirst = new RegExp(String.raw`${status}.{0,200}\bretr(?:y|ying)\b`, 'i');
const retryFirst = new RegExp(String.raw`\bretr(?:y|ying)\b.{0,200}${status}`, 'i');
const attemptOf = /\b(?:attempt\s*#?|retrying\s*\(?)(\d{1,3})(?:\s*(?:\/|of)\s*(\d{1,3}))?/i;
const delay = /\b(?:in|after|sleeping)\s*(\d{1,6}(?:\.\d{1,3})?)\s*(ms|s|sec|secs|seconds)\b/i;

/** @returns undefined for a line that does not contain both an HTTP status and a retry */
export function retryIn(line: string): AnnouncedRetry | undefined {
  const found = statusFirst.exec(line) ?? retryFirst.exec(line);
  if (found === null) return undefined;
  const [, attempt, attempts] = attemptOf.exec(line) ?? [];
  const [, amount = '0', unit = 's'] = delay.exec(line) ?? [];
  const params = {
    status: Number(found[1]),
    ...(attempt === undefined ? {} : { attempt: Number(attempt) }),
    ...(attempts === undefined ? {} : { attempts: Number(attempts) }),
  };
  return { reason: { code: 'status', params }, delayMs: Math.round(Number(amount) * (unit.toLowerCase() === 'ms' ? 1 : 1_000)) };
}

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
