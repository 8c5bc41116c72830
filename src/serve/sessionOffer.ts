/** The options of a session for a client that may not know them all: a switch is a list of two for one that has no switches. */
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { type AcpOffer, type SessionOption, toAcpOffer } from '../core/index.js';

const switchValues = ['on', 'off'] as const;

export function offerFor(options: readonly SessionOption[], client: ClientCapabilities): AcpOffer {
  return toAcpOffer(options.map((option) => optionFor(option, client)));
}

export function optionFor(option: SessionOption, client: ClientCapabilities): SessionOption {
  if (option.type !== 'boolean' || client.session?.configOptions?.boolean != null) return option;
  const choices = switchValues.map((value) => ({ value, name: value === 'on' ? 'On' : 'Off' }));
  return { ...option, type: 'select', currentValue: option.currentValue ? 'on' : 'off', choices };
}

/** The value that the option takes, of what a client sets it to. */
export function valueFor(options: readonly SessionOption[], id: string, value: string | boolean): string | boolean {
  const isSwitch = options.some((option) => option.id === id && option.type === 'boolean');
  if (!isSwitch || typeof value === 'boolean') return value;
  return value === 'on' ? true : value === 'off' ? false : value;
}
