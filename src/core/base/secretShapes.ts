/** The shapes of secrets: prefixes that providers give to their keys, names in front of a value, key blocks, headers, URLs. Pure. */
import { mayHoldSecret } from './secretTraces.js';

export interface SecretRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Prefixes of generated keys. If the rest of the value does not look generated, it is a name, such as `hf_hub_download` or
 * `sk-fading-circle`.
 */
export const keyPrefixes = [
  'sk-',
  'sk_',
  'pk-',
  'pk_',
  'rk-',
  'rk_',
  'whsec_', // OpenAI, Anthropic, Stripe and those who copied them
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_', // GitHub
  'glpat-',
  'gldt-',
  'glrt-',
  'glcbt-',
  'glptt-',
  'glft-',
  'glsoat-',
  'glagent-',
  'gloas-', // GitLab
  'xoxa-',
  'xoxb-',
  'xoxc-',
  'xoxd-',
  'xoxe-',
  'xoxe.',
  'xoxo-',
  'xoxp-',
  'xoxr-',
  'xoxs-',
  'xapp-', // Slack
  'hf_',
  'gsk_',
  'npm_',
  'pypi-',
  'rubygems_',
  'dckr_pat_',
  'dckr_oat_',
  'oy2', // package registries and model hubs
  'dop_v1_',
  'doo_v1_',
  'dor_v1_',
  'shpat_',
  'shpca_',
  'shppa_',
  'shpss_',
  'sq0atp-',
  'sq0csp-',
  'sq0idp-',
  'lin_api_',
  'ntn_',
  'secret_',
  'figd_',
  'figu_',
  'PMAK-',
  'hvs.',
  'hvb.',
  'hvr.',
  'tskey-',
  'sbp_',
  'sb_secret_',
  'r8_',
  'xai-',
  'pplx-',
  'fw_',
  'nvapi-',
  'tgp_v1_',
  'pul-',
  'dapi',
  'ya29.',
  'GOCSPX-',
  'AGE-SECRET-KEY-',
  'SG.',
  'key-',
  'atlasv1.',
  'EAAC',
  'EAAB',
  'patq',
  'pat-',
  'cfut_',
  'v1.0-',
  'dp.st.',
  'dp.pt.',
  'dp.ct.',
  'ops_',
  'vercel_',
  'vck_',
  'nfp_',
  'rnd_',
  'railway_',
  'phc_',
  'phx_',
  'sntrys_',
  'sntryu_',
  'glsa_',
  'glc_',
  'lsv2_pt_',
  'lsv2_sk_',
  'ak_',
  'jina_',
  'co_',
  'esecret_',
] as const;

const body = String.raw`[A-Za-z0-9][A-Za-z0-9_.~+/=-]{7,}`;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

interface Shape {
  readonly pattern: RegExp;
  /** The group that contains the secret; absent if the whole match is secret. */
  readonly group?: number;
  /** The match may begin in the middle of a word. */
  readonly isFree?: boolean;
  /** @param value the text of the group */
  accepts?(value: string, match: RegExpExecArray): boolean;
}

/** Names whose value is nearly always a secret, and names whose value often is not. */
export const strongName = String.raw`api[-_ ]?key|access[-_]?key(?:[-_]?id)?|account[-_]?key|secret[-_]?(?:access[-_]?)?key|private[-_]?key|signing[-_]?key|encryption[-_]?key|passwd|password|passphrase|secret|(?:auth|access|refresh|bearer|id|session|bot|app)[-_]?token|credentials?`;
export const weakName = String.raw`token|key|pwd|pass|auth|cookie|session|sig|signature`;
/** The text between a name and its value. The quotation marks may be those of JSON text inside JSON text. */
export const assignment = String.raw`["'\\]*[ \t]*(?:=>|:=|[:=])[ \t]*["'\\]*`;
/** The text between an option and its value. Where arguments are listed, quotation marks and a comma stand between them. */
export const optionSign = String.raw`(?:=|\s+|["'\\]+,(?:\s|\\[nrt])*)`;
const value = String.raw`[^\s"',;}&\\)\]]{4,}`;

const keyBlock = String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`;
const keyBlockEnd = keyBlock.replace('BEGIN', 'END');

const shapes: readonly Shape[] = [
  {
    pattern: new RegExp(`(?:${keyPrefixes.map(escaped).join('|')})${body}`, 'g'),
    accepts: (text) => isGenerated(withoutPrefix(text)),
  },
  { pattern: /AIza[A-Za-z0-9_-]{20,}/g },
  { pattern: /(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}/g },
  { pattern: /(?<![-._])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,16000}\.[A-Za-z0-9_-]{0,2000}/g },
  // Telegram, then Discord.
  { pattern: /\b\d{8,10}:[A-Za-z0-9_-]{34,}/g },
  { pattern: /[MNO][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g },
  { pattern: /hooks\.slack\.com\/services\/([A-Za-z0-9_]+\/[A-Za-z0-9_]+\/[A-Za-z0-9]+)/g, group: 1, isFree: true },
  { pattern: /discord(?:app)?\.com\/api\/webhooks\/(\d+\/[A-Za-z0-9_-]+)/g, group: 1, isFree: true },
  {
    pattern: /Bearer[ \t]+([A-Za-z0-9._~+/=-]{8,})/gi,
    group: 1,
    accepts: (text) => isChosen(text) || /^[^-_]{15,}[A-Za-z0-9=]$/.test(text),
  },
  {
    pattern: /authorization["'\\]*\s*[:=]\s*["'\\]*(?:(?:Basic|Digest|Token|ApiKey|Negotiate|NTLM|Bearer)\s+)?([^\s"'\\,;]{6,})/gi,
    group: 1,
    accepts: (text) => !isOrdinary(text) && !/^(?:basic|bearer|digest|token|apikey|header)$/i.test(text),
  },
  { pattern: /Basic[ \t]+([A-Za-z0-9+/]{12,}={0,2})/g, group: 1, accepts: (text) => isGenerated(text) || text.endsWith('=') },
  {
    pattern: /cookie["'\\]*\s*:\s*["'\\]*([^\r\n"'\\]{6,4000})/gi,
    group: 1,
    isFree: true,
    accepts: (text) => text.split(';').some((pair) => pair.includes('=') && isGenerated(pair)),
  },
  // A port is not a password. A password may contain a slash or an at sign.
  {
    pattern: /(?<=:\/\/)([^\s/:@"'<>?#]*:(?!\d{1,5}(?:[/?#\s]|$))[^\s"'<>]{1,128})(?=@[A-Za-z0-9[])/g,
    group: 1,
    isFree: true,
  },
  { pattern: new RegExp(`${keyBlock}(?:(?!-----)[^]){0,65536}${keyBlockEnd}`, 'g'), isFree: true },
  // A block whose end is missing, because the text was cut: matches as long as the lines look like those of a key.
  {
    pattern: new RegExp(String.raw`${keyBlock}(?:(?:\s|\\[nr])+(?:[A-Za-z0-9+/=]{8,}|[A-Z][A-Za-z-]+: [^\n\\]*))+`, 'g'),
    isFree: true,
  },
  {
    pattern: new RegExp(`(?:${strongName})${assignment}(${value})`, 'gi'),
    group: 1,
    isFree: true,
    accepts: (text, match) => (isVariable(match) ? !isOrdinary(text) : isChosen(text)),
  },
  {
    pattern: new RegExp(`(?:${weakName})${assignment}(${value})`, 'gi'),
    group: 1,
    isFree: true,
    accepts: (text, match) =>
      endsName(match) && (isGenerated(text) || (isVariable(match) && /token|pwd|pass/i.test(match[0]) && isChosen(text))),
  },
  {
    pattern: new RegExp(`(?<!-)--?[a-z-]{0,40}(?:${strongName}|token)${optionSign}["'\\\\]*(?!-)(${value})`, 'gi'),
    group: 1,
    accepts: (text) => !isOrdinary(text) && (isChosen(text) || (text.length >= 8 && !/^[A-Z_-]+$/.test(text))),
  },
  {
    pattern: /(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?([^\s"':]+:[^\s"']{4,200})/g,
    group: 1,
    isFree: true,
    accepts: (text) => isChosen(text.slice(text.indexOf(':') + 1)) && !/^[\d:]+$/.test(text),
  },
];

/** The name in the match together with what precedes it, at most 40 characters. */
function nameOf({ input, index, 0: whole }: RegExpExecArray): string {
  const before = /\\?[A-Za-z0-9_-]*$/.exec(input.slice(Math.max(0, index - 40), index))?.[0] ?? '';
  // An escaped line break (`\n` as two characters) is not part of the name.
  return before.replace(/^\\[nrt]?/, '') + (/^[A-Za-z_-]+/.exec(whole)?.[0] ?? '');
}

/** Whether the name looks like an environment variable, such as `API_KEY`. */
function isVariable(match: RegExpExecArray): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(nameOf(match));
}

/** Whether the name is a separate word at the end of a longer one: `_authToken` and `NAME_KEY`, but not `monkey`. */
function endsName({ input, index, 0: whole }: RegExpExecArray): boolean {
  return beginsWord(input, index) || (/[a-z0-9]/.test(input[index - 1] ?? '') && /^[A-Z]/.test(whole));
}

function withoutPrefix(text: string): string {
  const prefix = keyPrefixes.find((one) => text.startsWith(one));
  return text.slice(prefix?.length ?? 0);
}

/** Whether the position is not in the middle of a word. An escaped line break or the end of a color sequence may precede it. */
function beginsWord(text: string, index: number): boolean {
  if (index === 0 || !/[A-Za-z0-9]/.test(text[index - 1] ?? '')) return true;
  return /(?:\\[nrtbf]|\[[0-9;]*m)$/.test(text.slice(Math.max(0, index - 12), index));
}

/** Returns all secrets in a text, in order and without overlaps. Takes linear time for any text. */
export function secretsIn(text: string): readonly SecretRange[] {
  return mayHoldSecret(text) ? shapesIn(text) : [];
}

/** Does the same without the quick check: tries every shape. */
export function shapesIn(text: string): readonly SecretRange[] {
  const found: SecretRange[] = [];
  for (const { pattern, group, isFree = false, accepts } of shapes) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[group ?? 0] ?? '';
      if (secret === '' || (!isFree && !beginsWord(text, match.index)) || accepts?.(secret, match) === false) continue;
      const start = group === undefined ? match.index : match.index + match[0].lastIndexOf(secret);
      found.push({ start, end: start + secret.length });
    }
  }
  return merge(found);
}

/** @param ranges in any order */
export function merge(ranges: readonly SecretRange[]): readonly SecretRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/**
 * Distinguishes generated values from words. A name alone says little: `password: string` and `hf_hub_download` are ordinary text. Pure.
 */

/** What code, documentation and schemas contain in place of a value. */
const ordinary =
  /^(?:string|str|text|varchar|number|int|integer|bool|boolean|true|false|null|nil|none|undefined|any|unknown|object|bytes|required|optional|hidden|masked|redacted|changeme|example|placeholder|x{3,}|\*+|\.{3,}|\u2026|your[-_ ].*|my[-_].*|<.*|\[.*|\{.*|\$.*|%.*|@.*|(?:process|os|env|config|settings|self|this|secrets|vars|var|std|import|ctx|args|opts|options|params|req|request)[.:([].*|[\w.]+\(.*)$/i;

/** A word, or several joined words, perhaps followed by a number. */
const words = /^[A-Za-z]?[a-z]*(?:[-_./ ]?[A-Z]?[a-z]+)*[-_]?\d{0,4}$|^[A-Z]+(?:[-_][A-Z]+)*[-_]?\d{0,4}$/;
/** One word of letters, followed by a number of at most four digits. */
const wordWithNumber = /^(?=.{1,16}$)(?:[A-Za-z]?[a-z]*\d{0,4}|[A-Z]+\d{0,4})$/;

/** Whether a program probably generated the value: a part of it is long, and mixes letters with digits or is longer than words are. */
export function isGenerated(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+/);
  const digits = value.replace(/\D+/g, '').length;
  return parts.some(isGeneratedPart) || (digits >= 6 && value.length >= 16 && /[A-Za-z]/.test(value));
}

function isGeneratedPart(part: string): boolean {
  return part.length >= 30 || (part.length >= 10 && /\d/.test(part) && !wordWithNumber.test(part));
}

/** Whether a person could have chosen the value as a secret: it is not a word of a language or a program. */
export function isChosen(value: string): boolean {
  return !isOrdinary(value) && !words.test(value);
}

/** Whether the text only stands for a value. */
function isOrdinary(value: string): boolean {
  return value.length < 4 || isPlaceholder(value);
}

/** The same for a value that stands alone, such as that of a JSON member. */
export function isPlaceholder(value: string): boolean {
  return value === '' || ordinary.test(value);
}

/** Whether the value is one word or a placeholder. Even under the name of a secret, it then only describes one. */
export function isOrdinaryWord(value: string): boolean {
  return isPlaceholder(value) || /^[A-Z]?[a-z]+(?: [A-Za-z]?[a-z]+)*[.:]?$/.test(value);
}
