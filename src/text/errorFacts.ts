/** Turns the params of an error into parts of a sentence. */
import type { ErrorParams } from '../core/index.js';
import { clause, sentences } from './sentence.js';

/** Errors of servers contain the URL. */
export function isServer({ url }: ErrorParams): boolean {
  return typeof url === 'string';
}

/** Returns the close code of a connection if it says something. */
export function closeCodeInBrackets({ closeCode }: ErrorParams): string {
  // 1000 and 1005: closed regularly without a reason; 1006: there was no close frame.
  return typeof closeCode === 'number' && ![1000, 1005, 1006].includes(closeCode) ? ` (code ${closeCode})` : '';
}

/**
 * Describes a server that closed the connection before it answered: how, and why in its own words.
 * @param server the beginning of the sentence
 */
export function hangUpSentences(server: string, params: ErrorParams): string {
  const did = params['isReset'] === true ? 'reset' : 'closed';
  const closed = `${server} ${did} the connection before it answered${closeCodeInBrackets(params)}.`;
  return sentences(closed, closeReason(params), serverNoise(params));
}

/** Returns the reason with which a server closed the connection; empty if there is none. */
export function closeReason(params: ErrorParams): string {
  const detail = clause(detailOf(params));
  return detail === '' ? '' : `It gave the reason "${detail}".`;
}

/** Returns what a server sent that is not a message; empty if it sent nothing like that. */
export function serverNoise({ firstNoise }: ErrorParams): string {
  return typeof firstNoise === 'string' ? `It sent "${firstNoise}", which is not a message of this protocol.` : '';
}

export function sizeLimitOf({ limitBytes }: ErrorParams): string {
  return typeof limitBytes === 'number' ? `${limitBytes / 1024 / 1024} MB` : 'the size limit';
}

/** Returns the server as its URL names it. */
export function serverOf(params: ErrorParams): string {
  return fact(params, 'url') || 'The server';
}

/** Returns the host that a download came from. */
export function hostOf(params: ErrorParams): string {
  return /^\w+:\/\/([^/?#]+)/.exec(fact(params, 'url'))?.[1] ?? 'The server';
}

/** How the codes of the operating system are said. Others, such as those of certificates, have texts that people can read. */
const systemProblems: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file has reached its maximum size',
  EROFS: 'the disk is read-only',
  EIO: "the disk can't be read or written",
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'the path is not a folder',
  EEXIST: 'the name is taken',
  EISDIR: 'a folder has the name of the file',
  ENOTEMPTY: 'the folder is not empty',
  ENOENT: 'there is no such file or folder',
  EBUSY: 'another program uses it',
  ETXTBSY: 'another program is writing it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOMEM: 'there is not enough memory',
  EAGAIN: 'too many processes are running',
  E2BIG: 'its arguments are too long',
  ENOEXEC: 'it is not a program for this system',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'it did not answer in time',
  ENOTFOUND: "the name of the host wasn't found",
  EAI_AGAIN: "the name of the host can't be looked up right now",
  EHOSTUNREACH: 'there is no connection to the network that it is in',
  ENETUNREACH: 'there is no connection to the network that it is in',
  EADDRINUSE: 'another program listens there',
};

/** Where a folder is to be created or written. */
const diskProblems: Readonly<Record<string, string>> = {
  EEXIST: 'the path is not a folder',
  ENOENT: "the folder doesn't exist and can't be created",
};

/** Returns why it failed: a known code of the operating system in words, anything else in those of the agent or the system. */
export function detailOf(params: ErrorParams): string {
  return systemProblems[fact(params, 'systemCode')] ?? params.detail ?? '';
}

/** The same, with the file if the text doesn't name it. */
export function problemOf(params: ErrorParams): string {
  const path = fact(params, 'path');
  const problem = detailOf(params);
  return path === '' || problem.includes(path) ? problem : `${problem} (${path})`;
}

/** Returns why a folder, or a file in it, can't be written or read. */
export function diskProblem(params: ErrorParams): string {
  return diskProblems[fact(params, 'systemCode')] ?? clause(detailOf(params));
}

/** @returns an empty text for anything but a text or a number */
export function fact(params: ErrorParams, name: string): string {
  const value = params[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function listOf(params: ErrorParams, name: string): string {
  const value = params[name];
  return Array.isArray(value) ? value.map((item) => quotedInList(String(item))).join(', ') : '';
}

/** Names of models may contain commas and spaces. */
function quotedInList(item: string): string {
  return /[\s,]/.test(item) ? `"${item}"` : item;
}

const misfits: Readonly<Record<string, string>> = {
  foreign_id: 'It sent an answer with the ID of no request; an answer repeats the ID of its request, a number as a number.',
  batch: "It sent a batch of messages, which ACP doesn't have.",
  no_message: 'It sent JSON that is not a message of the protocol.',
  unfinished: 'It sent a line without a line break at its end, so the message never ends.',
};

/** Returns why what the agent sent is not its answer; empty if it sent nothing like that. */
export function misfitText({ misfit, quote }: ErrorParams): string {
  const text = typeof misfit === 'string' && Object.hasOwn(misfits, misfit) ? misfits[misfit] : undefined;
  return text === undefined ? '' : sentences(text, typeof quote === 'string' ? `It begins with: ${quote}` : '');
}
