/** The features of this client. `initialize` and the dispatch are derived from them, so that everything advertised is implemented. */
import { type Fields, isFields } from '../schema/lenient.js';
import type { AcpFeature, AnswerRequest, ClientFeatureOptions, HostCapabilities } from './feature.js';
import { elicitation } from './elicitation.js';
import { files } from './files.js';
import { grok } from './grok.js';
import { permission } from './permission.js';
import { questions } from './questions.js';
import { qwen } from './qwen.js';
import { sessionUpdates } from './sessionUpdates.js';
import { signIn } from './signIn.js';
import { terminals } from './terminals.js';

export type { ClientFeatureOptions } from './feature.js';

export const features: readonly AcpFeature[] = [sessionUpdates, permission, questions, grok, qwen, elicitation, files, terminals, signIn];

export function clientCapabilities(options: ClientFeatureOptions): HostCapabilities {
  return features.reduce<Fields>((all, { capabilities }) => merge(all, { ...capabilities?.(options) }), {});
}

const notifications = new Map(features.flatMap((feature) => Object.entries(feature.notifications ?? {})));

export function answerOf(method: string): AnswerRequest | undefined {
  return features.flatMap(({ requests = {} }) => (Object.hasOwn(requests, method) ? (requests[method] ?? []) : [])).at(0);
}

export function receiverOf(method: string): NonNullable<AcpFeature['notifications']>[string] | undefined {
  return notifications.get(method);
}

function merge(one: Fields, other: Fields): Fields {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = merged[key];
    merged[key] = isFields(known) && isFields(value) ? merge(known, value) : value;
  }
  return merged;
}
