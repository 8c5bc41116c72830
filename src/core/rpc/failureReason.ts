/** Finds out why an agent refused a call. Agents put the reason in many places; JSON-RPC's `message` is often only the name of the code. */
import { stripVTControlCharacters } from 'node:util';
import { isFields } from '../base/fields.js';
import type { WireError } from './message.js';
import { ErrorCode } from './peer.js';

/** A longer reason is an HTML page or a stack trace. */
const reasonChars = 600;
/** The depth of JSON in a string in JSON: agents quote providers, and adapters quote agents. */
const depthLimit = 6;
/** Longer text is not searched for JSON. */
const parsedChars = 100_000;

/** The default messages of JSON-RPC and ACP, which add nothing to the failure itself. */
const bare =
  /^(?:\(?no (?:error )?message\)?|internal (?:server )?error|server error|unknown error|error|parse error|invalid (?:request|params)|method not found|resource not found|request failed|authentication required|\[object object\])[.:]?$/i;

/** Prefixes of a reason that carry no information. */
const bareStart = /^(?:(?:internal |unknown )?(?:server )?error|authentication required): +/i;

/** Members that contain a reason, the most specific first. */
const reasonMembers = ['details', 'detail', 'message', 'error_description', 'description', 'error', 'errors', 'cause'] as const;
/** Members that are long and of no use to the user. */
const noiseMembers: ReadonlySet<string> = new Set(['stack', 'stacktrace', 'trace']);
const factsChars = 300;

/** @returns one line, not redacted; empty if nothing is known */
export function failureReason({ code, message, data }: WireError): string {
  const said = reasonInText(message, 0);
  const reason = joinReasons(withoutBareStart(said), reasonIn(data, 0) ?? '');
  if (reason !== '' && !bare.test(reason)) return shorten(reason);
  // The data of a request to sign in lists the ways to do so.
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

/** Returns a reason that says something, else one that at least names a code. */
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

/** Finds the object or list in the text, from the first bracket to the last. */
function jsonIn(text: string): FoundJson | undefined {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end < start) return undefined;
  try {
    return { before: text.slice(0, start).trim(), value: JSON.parse(text.slice(start, end + 1)), after: text.slice(end + 1).trim() };
  } catch {
    // The brackets belong to ordinary text.
    return undefined;
  }
}

/** Returns the other members if none has the name of a reason: `method: session/fork`. */
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

/** Cuts between words, because the redactor would not recognize half a secret. */
function shorten(text: string): string {
  if (text.length <= reasonChars) return text;
  const cut = text.slice(0, reasonChars);
  return `${cut.slice(0, cut.includes(' ') ? cut.lastIndexOf(' ') : undefined)} …`;
}
