/** What the params of an error say, as pieces of a sentence. */
import type { ErrorParams } from '../core/index.js';
import { clause, sentences } from './sentence.js';

/** Errors of servers name its URL. */
export function isServer({ url }: ErrorParams): boolean {
  return typeof url === 'string';
}

/** The code of the end of a connection, where it tells something. */
export function closeCodeInBrackets({ closeCode }: ErrorParams): string {
  // 1000 and 1005: in order, without a reason; 1006: not even a close frame came.
  return typeof closeCode === 'number' && ![1000, 1005, 1006].includes(closeCode) ? ` (code ${closeCode})` : '';
}

/** Of a server that hung up before it answered: how, and why in its own words. @param server what the sentence begins with */
export function hangUpSentences(server: string, params: ErrorParams): string {
  const closed = `${server} closed the connection before it answered${closeCodeInBrackets(params)}.`;
  return sentences(closed, closeReason(params), serverNoise(params));
}

/** What a server closed the connection with, beside the code; empty where there is nothing. */
export function closeReason(params: ErrorParams): string {
  const detail = clause(detailOf(params));
  return detail === '' ? '' : `It gave the reason "${detail}".`;
}

/** What a server said that is no message; empty where it said nothing of the kind. */
export function serverNoise({ firstNoise }: ErrorParams): string {
  return typeof firstNoise === 'string' ? `It sent "${firstNoise}", which is not a message of this protocol.` : '';
}

export function sizeLimitOf({ limitBytes }: ErrorParams): string {
  return typeof limitBytes === 'number' ? `${limitBytes / 1024 / 1024} MB` : 'the size limit';
}

/** A server, as its URL names it. */
export function serverOf(params: ErrorParams): string {
  return fact(params, 'url') || 'The server';
}

export function detailOf({ detail }: ErrorParams): string {
  return detail ?? '';
}

/** @returns an empty text for what is neither a text nor a number */
export function fact(params: ErrorParams, name: string): string {
  const value = params[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function listOf(params: ErrorParams, name: string): string {
  const value = params[name];
  return Array.isArray(value) ? value.map((item) => quotedInList(String(item))).join(', ') : '';
}

/** Names of models may hold commas and spaces. */
function quotedInList(item: string): string {
  return /[\s,]/.test(item) ? `"${item}"` : item;
}
