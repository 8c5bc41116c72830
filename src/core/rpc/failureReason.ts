/** Why an agent refused a call. Agents put the reason in many places; what JSON-RPC calls `message` is often no more than the name of its code. */
import { stripVTControlCharacters } from 'node:util';
import { isFields } from '../base/fields.js';
import type { WireError } from './message.js';
import { ErrorCode } from './peer.js';

/** A longer reason is a page of HTML or a stack. */
const reasonChars = 600;
/** JSON within a string within JSON; providers are quoted by agents, and those by their adapters. */
const depthLimit = 6;
/** Beyond this it is not looked into. */
const parsedChars = 100_000;

/** What JSON-RPC and ACP print for a code: nothing that a person does not know from the failure itself. */
const bare =
  /^(?:\(?no (?:error )?message\)?|internal (?:server )?error|server error|unknown error|error|parse error|invalid (?:request|params)|method not found|resource not found|request failed|authentication required|\[object object\])[.:]?$/i;

/** What tells nothing in front of a reason, either. */
const bareStart = /^(?:(?:internal |unknown )?(?:server )?error|authentication required): +/i;

/** Members that hold a reason, the most telling first. */
const reasonMembers = ['details', 'detail', 'message', 'error_description', 'description', 'error', 'errors', 'cause'] as const;
/** Of no use to a person, and long. */
const noiseMembers: ReadonlySet<string> = new Set(['stack', 'stacktrace', 'trace']);
const factsChars = 300;

/** @returns one line, not redacted; empty where nothing is known */
export function failureReason({ code, message, data }: WireError): string {
  const said = reasonInText(message, 0);
  const reason = joinReasons(withoutBareStart(said), reasonIn(data, 0) ?? '');
  if (reason !== '' && !bare.test(reason)) return shorten(reason);
  // What stands beside a demand to sign in are the ways to do so.
  const facts = code === ErrorCode.authRequired ? '' : factsIn(data);
  return shorten(facts === '' ? said || reason : `${said || reason} (${facts})`.trim());
}

function joinReasons(said: string, told: string): string {
  if (bare.test(said) || said === '' || told.includes(said)) return told;
  return told === '' || bare.test(told) || said.includes(told) ? said : `${said.replace(/[.:]$/, '')}: ${told}`;
}

function reasonIn(value: unknown, depth: number): string | undefined {
  if (depth > depthLimit) return undefined;
  if (typeof value === 'string') return reasonInText(value, depth) || undefined;
  if (Array.isArray(value)) return firstReason(value, depth);
  if (!isFields(value)) return undefined;
  return firstReason(
    reasonMembers.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined)),
    depth,
  );
}

/** One that says something; else one that names a code at least. */
function firstReason(values: readonly unknown[], depth: number): string | undefined {
  const reasons = values.flatMap((value) => reasonIn(value, depth + 1) ?? []);
  return reasons.find((reason) => !bare.test(reason)) ?? reasons[0];
}

/** `API Error: 400 {"error":{"message":"too long"}}` → `API Error: 400: too long` */
function reasonInText(text: string, depth: number): string {
  const plain = clean(text);
  const json = plain.length > parsedChars ? undefined : jsonIn(plain);
  const reason = json === undefined ? undefined : reasonIn(json.value, depth + 1);
  if (json === undefined || reason === undefined) return plain;
  return [joinReasons(withoutBareStart(json.before), reason), json.after].filter((part) => part !== '').join(' ');
}

interface FoundJson {
  readonly before: string;
  readonly value: unknown;
  readonly after: string;
}

/** The object or list that the text holds, from its first bracket to its last. */
function jsonIn(text: string): FoundJson | undefined {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end < start) return undefined;
  try {
    return { before: text.slice(0, start).trim(), value: JSON.parse(text.slice(start, end + 1)), after: text.slice(end + 1).trim() };
  } catch {
    // Brackets of ordinary text.
    return undefined;
  }
}

/** What is known where no member is named like a reason: `method: session/fork`. */
function factsIn(data: unknown): string {
  if (typeof data === 'number' || typeof data === 'boolean') return String(data);
  if (typeof data !== 'object' || data === null) return '';
  const facts = Object.entries(data).filter(([name, value]) => typeof value !== 'object' && value !== '' && !noiseMembers.has(name));
  if (facts.length > 0) return clean(facts.map(([name, value]) => `${name}: ${String(value)}`).join(', '));
  return Object.keys(data).length === 0 ? '' : clean(JSON.stringify(data)).slice(0, factsChars);
}

/** `Internal error: no key` → `no key` */
function withoutBareStart(text: string): string {
  return text.replace(bareStart, '') || text;
}

function clean(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Between words, so that nothing is left of half a secret that the redactor would not know. */
function shorten(text: string): string {
  if (text.length <= reasonChars) return text;
  const cut = text.slice(0, reasonChars);
  return `${cut.slice(0, cut.includes(' ') ? cut.lastIndexOf(' ') : undefined)} …`;
}
