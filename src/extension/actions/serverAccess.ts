/** What a server needs before the host connects to it: a key, or the user's consent to a certificate or an unencrypted connection. */
import { type ConversationState, HostError, type HostErrorData, type ServerDefinition } from '../../core/index.js';
import type { ServerTrust } from '../window/serverTrust.js';
import { confirm } from '../window/windowMessages.js';
import { askApiKey } from './pickers.js';

/** @returns whether anything was changed */
export async function askServerKey({ url, label }: ServerDefinition, trust: ServerTrust): Promise<boolean> {
  const key = await askApiKey(label, `Sent to ${new URL(url).host} only.`);
  if (key === undefined) return false;
  if (key.trim() === '') await trust.keys.remove(url);
  else await trust.keys.write(url, key.trim());
  return true;
}

/** Returns why the agent is not available. */
export function failureOf({ blocker, status }: ConversationState): HostErrorData | undefined {
  return blocker?.error ?? (status.state === 'failed' ? status.error : undefined);
}

/**
 * Asks before anything is sent to the server.
 * @param settingsPin the pin in the settings, which only the user can change
 * @returns whether the user trusts the server now
 */
export async function askTrust(
  { url, label }: ServerDefinition,
  error: HostErrorData | undefined,
  trust: ServerTrust,
  settingsPin: string | undefined,
): Promise<boolean> {
  const { reason, pin, fingerprint, subject, validFrom, validTo } = error?.params ?? {};
  if (reason === 'plain_text') {
    const isSure = await confirm(
      `Connect to ${label} without encryption?`,
      `${url}\n\nAnyone on the network between you and the server can read and change the conversation and the key.`,
      'Connect Unencrypted',
    );
    if (isSure) await trust.allowPlain(url);
    return isSure;
  }
  if ((reason !== 'certificate_untrusted' && reason !== 'pin_mismatch') || typeof pin !== 'string') return false;
  if (settingsPin !== undefined)
    throw new HostError('usage', { setting: 'acpHost.agents', detail: 'The pin of this server is in the settings. Change it there' });
  const facts = [
    ['Server', new URL(url).host],
    ['Issued to', subject],
    ['Valid', `${String(validFrom)} – ${String(validTo)}`],
    ['SHA-256 fingerprint', fingerprint],
    ['Public key', pin],
  ].map(([name, value]) => `${String(name)}: ${String(value)}`);
  const changed =
    reason === 'pin_mismatch'
      ? 'The certificate is not the one that you trusted before. Somebody may be impersonating the server.\n\n'
      : '';
  const isSure = await confirm(
    reason === 'pin_mismatch' ? `Trust the changed certificate of ${label}?` : `Trust the certificate of ${label}?`,
    `${changed}${facts.join('\n')}\n\nCompare the fingerprint with the one that the operator of the server gives you. Nothing has been sent yet.`,
    'Trust Certificate',
  );
  if (isSure) await trust.pin(url, pin);
  return isSure;
}
