/** The official JSON schema of ACP, as the SDK ships it: what it has, examples of it, and whether a message of the host fits. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod/mini';

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});

/** One method in one direction. `definitions` are the names of its params and its result; a notification has no result. */
export interface OfficialMethod {
  readonly method: string;
  /** Who is asked; `protocol`: either. */
  readonly side: 'agent' | 'client' | 'protocol';
  readonly params: string;
  readonly result: string | undefined;
}

export class OfficialSchema {
  readonly #definitions: Fields;
  readonly #fits: Ajv2020;

  /** @param name of the file in the SDK: the stable schema, or the one with everything that may become stable */
  constructor(name: 'schema' | 'schema.unstable') {
    const file = createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/v1/${name}.json`);
    this.#definitions = z.looseObject({ $defs: z.record(z.string(), z.unknown()) }).parse(JSON.parse(readFileSync(file, 'utf8'))).$defs;
    this.#fits = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    this.#fits.addSchema({ $id: 'acp', $defs: closed(this.#definitions) });
  }

  get methods(): readonly OfficialMethod[] {
    const named = Object.entries(this.#definitions).flatMap(([name, value]) => {
      const { 'x-method': method, 'x-side': side } = fieldsIn(value);
      return typeof method === 'string' && (side === 'agent' || side === 'client' || side === 'protocol')
        ? [{ name, method, side } as const]
        : [];
    });
    return named
      .filter(({ name }) => !name.endsWith('Response'))
      .map(({ name, method, side }) => ({
        method,
        side,
        params: name,
        result: named.find((one) => one.method === method && one.side === side && one.name.endsWith('Response'))?.name,
      }));
  }

  /** The values that tell the variants of a union apart. */
  variants(definition: string, key: string): readonly string[] {
    return variantsOf(this.#definition(definition)).flatMap((variant) => {
      const { const: value } = fieldsIn(fieldsIn(variant['properties'])[key]);
      return typeof value === 'string' ? [value] : [];
    });
  }

  /** The members of a definition that have none themselves, by their path. */
  leaves(definition: string): readonly string[] {
    return this.#leavesOf(this.#definition(definition), []);
  }

  /** A value with the members that a definition requires. @param variant of a union, as in `variants` */
  example(definition: string, variant?: string): unknown {
    const union = this.#definition(definition);
    const one = variantsOf(union).find((value) => variant !== undefined && JSON.stringify(value).includes(`"const":"${variant}"`));
    return this.#example(one ?? union);
  }

  /** Unknown members do not fit, except in `_meta`. @returns what is wrong with it, or an empty text */
  misfit(definition: string, value: unknown): string {
    const check = this.#fits.getSchema(`acp#/$defs/${definition}`);
    assert.ok(check, `the schema has no ${definition}`);
    if (check(value) === true) return '';
    return (check.errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  }

  #definition(name: string): Fields {
    assert.ok(name in this.#definitions, `the schema has no ${name}`);
    return fieldsIn(this.#definitions[name]);
  }

  #resolved(value: unknown): Fields {
    const { $ref: ref } = fieldsIn(value);
    return typeof ref === 'string' ? this.#definition(ref.split('/').at(-1) ?? '') : fieldsIn(value);
  }

  #leavesOf(value: Fields, path: readonly string[]): readonly string[] {
    const whole = [...partsOf(value), ...variantsOf(value)].reduce<Fields>(
      (all, part) => ({ ...all, ...fieldsIn(this.#resolved(part)['properties']) }),
      fieldsIn(value['properties']),
    );
    const members = Object.entries(whole).filter(([name]) => name !== '_meta');
    if (members.length === 0) return [path.join('.')];
    return members.flatMap(([name, member]) => this.#leavesOf(this.#resolved(member), [...path, name]));
  }

  #example(given: unknown): unknown {
    const value = this.#resolved(given);
    if ('const' in value) return value['const'];
    const [first] = listOf(value['enum']);
    if (first !== undefined) return first;
    const type = Array.isArray(value['type']) ? value['type'][0] : value['type'];
    const parts = [...partsOf(value), ...variantsOf(value).slice(0, 1)].map((part) => this.#example(part));
    if (type === undefined && parts.length > 0 && !parts.every(isFields)) return parts[0];
    if (type === 'string') return value['format'] === 'uri' ? 'https://example.com/' : 'x';
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'boolean') return true;
    if (type === 'array') return [];
    const properties = fieldsIn(value['properties']);
    const required = listOf(value['required']).map((name): [string, unknown] => [String(name), this.#example(properties[String(name)])]);
    return Object.assign({}, ...parts, Object.fromEntries(required));
  }
}

const partsOf = (value: Fields): readonly Fields[] => listOf(value['allOf']).map(fieldsIn);
const variantsOf = (value: Fields): readonly Fields[] => listOf(value['oneOf'] ?? value['anyOf']).map(fieldsIn);

/** The schema allows unknown members anywhere, so that it can grow. A message of ours has none: only definitions that are a part of another one stay open. */
function closed(definitions: Fields): Fields {
  const parts = new Set(Object.values(definitions).flatMap((value) => partNames(value, false)));
  return Object.fromEntries(
    Object.entries(definitions).map(([name, value]) => {
      const isObject = isFields(value) && ('properties' in value || variantsOf(value).some((variant) => 'properties' in variant));
      return [name, isObject && !parts.has(name) ? { unevaluatedProperties: false, ...value } : value];
    }),
  );
}

/** The definitions that give an object some of its members. @param isWithin the value is part of an object that has members of its own */
function partNames(value: unknown, isWithin: boolean): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => partNames(one, isWithin));
  if (!isFields(value)) return [];
  const { $ref: ref, properties, items, additionalProperties, ...rest } = value;
  const isPart = isWithin || properties !== undefined;
  return [
    ...(isWithin && typeof ref === 'string' ? [ref.split('/').at(-1) ?? ''] : []),
    ...Object.values(fieldsIn(properties)).flatMap((one) => partNames(one, false)),
    ...partNames([items, additionalProperties], false),
    ...Object.values(rest).flatMap((one) => partNames(one, isPart)),
  ];
}
