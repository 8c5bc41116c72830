/** The process that has the conversations, in words. */
import type { EngineSummary } from '../core/index.js';

/** `3 h 12 min`, `4 min` or `12 s`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Where it runs. @param ownPid of the process that shows this */
export function enginePlaceText({ pid, location }: Pick<EngineSummary, 'pid' | 'location'>, ownPid?: number): string {
  if (location === 'process') return `in process ${pid}`;
  return pid === ownPid ? 'in this window' : `in a window (process ${pid})`;
}

/** Its version, age and memory. */
export function engineFactsText({ version, since, memoryBytes }: EngineSummary, now: number): string {
  return `Version ${version}, running for ${ageText(now - since)}, ${Math.round(memoryBytes / 1024 / 1024)} MB.`;
}

/** What keeps it running. */
export function engineKeptText({ frontEnds, running, keepAliveMs }: EngineSummary): string {
  const reasons = [
    ...(frontEnds > 0 ? [frontEnds === 1 ? '1 window or terminal uses it' : `${frontEnds} windows and terminals use it`] : []),
    ...(running > 0 ? [`something runs in ${running === 1 ? '1 conversation' : `${running} conversations`}`] : []),
  ];
  if (reasons.length > 0) return `It is running because ${reasons.join(', and ')}.`;
  const minutes = Math.round(keepAliveMs / 60_000);
  return `It is idle, and ends ${minutes === 0 ? 'soon' : `within ${minutes} min`}.`;
}

/** Nobody knows whether it will respond again. @param pid of its process */
export function engineHangsText(pid: number): string {
  return `The background process of ACP Host (${pid}) is not responding. If that doesn't change, end it in another terminal with \`acp-host engine stop\`. The conversations are saved.`;
}

export const engineRespondsText = 'The background process of ACP Host responds again.';
