/**
 * Answers what the service may ask an editor, if the user allows it. The answers have the texts that the service knows; see the source in
 * schema/messages.ts.
 */
import * as z from 'zod/mini';
import type { Clock } from '../../base/clock.js';
import { messageOf } from '../../base/errors.js';
import type { CodeLocation, ConfinedNavigation } from '../../services/codeNavigation.js';
import type { Question } from './schema/messages.js';

const notServed = { error: 'Function not found' };
const outside = { error: 'Error: The path is outside of the workspace' };
const tooMany = { error: 'Error: Too many requests' };
const badParams = { error: 'Error: params' };
const perSecond = 20;

/** Numbers may arrive as texts. */
const numberSchema = z.coerce.number().check(z.int(), z.minimum(0));
const fileSchema = z.object({ abspath: z.string() });
const placeSchema = z.object({ abspath: z.string(), line: numberSchema, character: numberSchema });

/**
 * @param navigation undefined if nothing may be answered
 * @returns a function that answers a question and never rejects
 */
export function ideServices(navigation: ConfinedNavigation | undefined, clock: Clock): (question: Question) => Promise<object> {
  let second = 0;
  let count = 0;
  return async ({ service, params }) => {
    if (navigation === undefined) return notServed;
    const now = Math.floor(clock.now() / 1_000);
    count = now === second ? count + 1 : 1;
    second = now;
    if (count > perSecond) return tooMany;
    try {
      if (service === 'get_document_symbols') {
        const file = fileSchema.safeParse(params);
        if (!file.success) return badParams;
        const symbols = await navigation.documentSymbols(file.data.abspath);
        return symbols === undefined ? outside : { result: symbols };
      }
      const place = placeSchema.safeParse(params);
      if (!place.success) return badParams;
      const { abspath, ...position } = place.data;
      const find = service === 'find_def_locations' ? navigation.definitions : navigation.typeDefinitions;
      const locations = await find(abspath, position);
      return locations === undefined ? outside : { result: locations.map(toWire) };
    } catch (error) {
      return { error: `Error: ${messageOf(error)}` };
    }
  };
}

function toWire({ path: abspath, range }: CodeLocation): object {
  return { abspath, range };
}
