/** Reads what agentao reports about its provider on stderr only. Source: agentao 0.5.17 and 0.4.20, llm/client.py; lines as recorded. */
import type { RetryReason } from '../../session/agentHint.js';
import type { AnnouncedRetry } from '../acpQuirks.js';

/**
 * `2026-11-21 10:00:00,123 INFO agentao.llm: [req-1] retryable streaming error (status=429) after 37 ms; attempt 1 sleeping 7.96s`.
 * Versions before 0.5 print no duration. The pattern covers the whole line, because the same stderr contains text of users and models.
 */
const retryLine =
  /^\d{4}-\d\d-\d\d [\d:,.]+ [A-Z]+ agentao[\w.]*: \[[\w.-]{1,64}\] retryable (?:streaming )?error \((?:status=(\d{3})|([A-Za-z_]\w{0,63}))\)(?: after \d{1,9} ms)?; attempt (\d{1,3}) sleeping (\d{1,6}(?:\.\d{1,3})?)s\s*$/;

const attempts = 5;

const codesByError: Readonly<Record<string, RetryReason['code']>> = {
  APIConnectionError: 'unreachable',
  APITimeoutError: 'timeout',
  StreamEndedEarlyError: 'broken_off',
};

export function retryIn(line: string): AnnouncedRetry | undefined {
  const match = retryLine.exec(line);
  if (match === null) return undefined;
  const [, status, error = '', attempt, seconds] = match;
  const params = { attempt: Number(attempt), attempts };
  return { reason: causeOf(status, error, params), delayMs: Math.round(Number(seconds) * 1_000) };
}

function causeOf(status: string | undefined, error: string, attempt: RetryReason['params']): RetryReason {
  if (status !== undefined) return { code: 'status', params: { ...attempt, status: Number(status) } };
  const code = Object.hasOwn(codesByError, error) ? codesByError[error] : undefined;
  return code === undefined ? { code: 'other', params: { ...attempt, error } } : { code, params: attempt };
}
