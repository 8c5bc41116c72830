/** What the params of an error say, as pieces of a sentence. */
import type { ErrorParams } from '../core/index.js';

/** Errors of servers name its URL. */
export function isServer({ url }: ErrorParams): boolean {
  return typeof url === 'string';
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
