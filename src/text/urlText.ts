/** What a request to open a page says about the page itself. */
import { pageFacts, revealOnOneLine, type UrlRequest } from '../core/index.js';

/** The longest host in a title; a longer one is in the warning. */
const longestHost = 40;

/** Names the host to which the page really leads. */
export function urlTitle({ url, isOpened }: UrlRequest): string {
  if (isOpened === true) return 'Waiting for the browser';
  const { host } = pageFacts(url) ?? { host: '' };
  return host === '' || host.length > longestHost ? 'Open a page?' : `Open a page on ${revealOnOneLine(host)}?`;
}

/** @returns an empty text if there is nothing to warn about */
export function urlWarning({ url, isOpened }: UrlRequest): string {
  const facts = isOpened === true ? undefined : pageFacts(url);
  if (facts === undefined) return '';
  const { host, misleads, isExposed } = facts;
  return [
    ...(misleads || host.length > longestHost ? [`This address leads to ${revealOnOneLine(host)}.`] : []),
    ...(isExposed ? ['It is not encrypted, so others can read and change what you see and enter there.'] : []),
  ].join(' ');
}
