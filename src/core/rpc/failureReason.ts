/** Finds out why an agent refused a call. Agents put the reason in many places; JSON-RPC's `message` is often only the name of the code. */
import { stripVTControlCharacters } from 'node:util';
import { ResponseError } from 'vscode-jsonrpc/node';
import { HostError } from '../base/errors.js';
import { isFields } from '../base/fields.js';
import { readWireError, type WireError } from './message.js';
import { ErrorCode, RpcError } from './peer.js';

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

/** Returns why a request has no result: the error that the agent sent, or a failure of the host. */
export function toRequestError(method: string, error: unknown): HostError {
  const answered = readWireError(error);
  if (answered.data instanceof HostError) return answered.data;
  const { code, message, data } = answered;
  const detail = failureReason(answered);
  const facts = { method, code, message, ...(data === undefined ? {} : { data }), ...(detail === '' ? {} : { detail }) };
  return new HostError(code === ErrorCode.authRequired ? 'auth_required' : 'request_failed', facts);
}

/** Returns the error for a result that the parser rejected. It says where, but not what, because a result may contain secrets. */
export function toShapeError(method: string, cause: unknown): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method, ...firstIssue(cause) }, { cause });
}

/** The parsers use zod, but this only needs to know the shape of its errors. */
function firstIssue(error: unknown): { readonly path: string; readonly issue: string } | undefined {
  if (!(error instanceof Error) || !('issues' in error) || !Array.isArray(error.issues)) return undefined;
  const issue: unknown = error.issues[0];
  if (typeof issue !== 'object' || issue === null || !('path' in issue) || !Array.isArray(issue.path)) return undefined;
  return { path: issue.path.map(String).join('.'), issue: 'message' in issue && typeof issue.message === 'string' ? issue.message : '' };
}

/** Converts what a handler threw to what the agent may see: an RpcError unchanged, and for everything else only that it failed. */
export function toResponseError(method: string, error: unknown): ResponseError<unknown> {
  if (error instanceof RpcError) return new ResponseError(error.code, error.message, error.data);
  return new ResponseError(ErrorCode.internalError, `The host failed to handle ${method}.`);
}
