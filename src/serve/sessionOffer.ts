/**
 * The options of a session for a client that may not support all of them: a switch becomes a list of two values for a client without
 * switches.
 */
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { type AcpOffer, type SessionOption, toAcpOffer } from '../core/index.js';

const switchValues = ['on', 'off'] as const;

export const optionsForm = { listsMode: true } as const;

export function offerFor(options: readonly SessionOption[], client: ClientCapabilities): AcpOffer {
  return toAcpOffer(
    options.map((option) => optionFor(option, client)),
    optionsForm,
  );
}

export function optionFor(option: SessionOption, client: ClientCapabilities): SessionOption {
  if (option.type !== 'boolean' || client.session?.configOptions?.boolean != null) return option;
  const choices = switchValues.map((value) => ({ value, name: value === 'on' ? 'On' : 'Off' }));
  return { ...option, type: 'select', currentValue: option.currentValue ? 'on' : 'off', choices };
}

/** Returns the value of the option for the value that the client set. */
export function valueFor(options: readonly SessionOption[], id: string, value: string | boolean): string | boolean {
  const isSwitch = options.some((option) => option.id === id && option.type === 'boolean');
  if (!isSwitch || typeof value === 'boolean') return value;
  return value === 'on' ? true : value === 'off' ? false : value;
}
