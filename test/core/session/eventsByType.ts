/**
 * Events generated from the declaration of `SessionEvent`: a member that is added to the type is in them without a change here. Each comes
 * as it could stand on disk, with some optional members null or of a wrong type, and as it must be read.
 */
import path from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import { isFields } from '../../../src/core/base/fields.js';
import type { SessionEvent } from '../../../src/core/session/event.js';

/** A value as it is written, and as it must be read back. */
interface Copy {
  readonly written: unknown;
  readonly read: unknown;
}

/** These are for programs, or true only while the agent runs, and are not saved. */
const unsaved: ReadonlySet<string> = new Set(['meta', 'origin', 'updatedAt', 'runs']);
/** Members with few values, so that events refer to each other. */
const few: Readonly<Record<string, readonly string[]>> = {
  turnId: ['t1', 't2'],
  id: ['a', 'b'],
  requestId: ['a', 'b'],
  promptId: ['a', 'b'],
  itemId: ['a', 'b'],
  toolCallId: ['a', 'b'],
};

const same = (value: unknown): Copy => ({ written: value, read: value });
const words = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', '\n', '\u2028', '\ud83d', '__proto__'));
const anything = fc.oneof(fc.constantFrom(null, undefined, '', 0, false), fc.jsonValue({ maxDepth: 2 }));
const odd: readonly unknown[] = [7, 'odd', true, [], {}, [null], { odd: 1 }];

class Generator {
  readonly #checker: ts.TypeChecker;
  readonly #spoils: boolean;

  constructor(checker: ts.TypeChecker, spoils: boolean) {
    this.#checker = checker;
    this.#spoils = spoils;
  }

  value(type: ts.Type, name = ''): fc.Arbitrary<Copy> {
    if (type.isUnion()) return this.#oneOf(type.types, name);
    if (type.isStringLiteral() || type.isNumberLiteral()) return fc.constant(same(type.value));
    if ((type.flags & ts.TypeFlags.BooleanLiteral) !== 0) return fc.constant(same(this.#checker.typeToString(type) === 'true'));
    if ((type.flags & ts.TypeFlags.String) !== 0) return (name in few ? fc.constantFrom(...(few[name] ?? [])) : words).map(same);
    if ((type.flags & ts.TypeFlags.Number) !== 0) return fc.oneof(fc.nat(1_000), fc.constantFrom(-1, 0.5)).map(same);
    if ((type.flags & ts.TypeFlags.Undefined) !== 0) return fc.constant(same(undefined));
    if ((type.flags & ts.TypeFlags.Null) !== 0) return fc.constant(same(null));
    if ((type.flags & ts.TypeFlags.Unknown) !== 0) return anything.map(same);
    return this.#object(type);
  }

  #oneOf(types: readonly ts.Type[], name: string): fc.Arbitrary<Copy> {
    return fc.oneof(...types.map((type) => this.value(type, name)));
  }

  #object(type: ts.Type): fc.Arbitrary<Copy> {
    const [element] = this.#checker.isArrayType(type) ? this.#checker.getTypeArguments(type as ts.TypeReference) : [];
    if (element !== undefined) return fc.array(this.value(element), { maxLength: 2 }).map(inList);
    const index = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const members = this.#checker.getPropertiesOfType(type).filter((member) => !unsaved.has(member.name));
    const others =
      index === undefined ? fc.constant([]) : fc.array(fc.tuple(fc.constantFrom('x', 'y'), this.value(index.type)), { maxLength: 2 });
    return fc.tuple(others, ...members.map((member) => this.#member(member))).map(([more, ...own]) => asObject([...more, ...own]));
  }

  #member(member: ts.Symbol): fc.Arbitrary<readonly [string, Copy]> {
    const { name } = member;
    const type = this.#checker.getTypeOfSymbol(member);
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const present = isOptional
      ? this.#oneOf(
          partsOf(type).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0),
          name,
        )
      : this.value(type, name);
    if (!isOptional) return present.map((copy) => [name, copy]);
    // An unknown reason is a reason.
    if (name === 'why')
      return fc
        .oneof(present, fc.constant(same(undefined)), fc.constant({ written: 'odd', read: 'dismissed' }))
        .map((copy) => [name, copy]);
    const wrong = this.#spoils ? this.#wrongFor(type, name).map((written): Copy => ({ written, read: undefined })) : [];
    return fc.oneof(present, fc.constantFrom(same(undefined), ...wrong)).map((copy) => [name, copy]);
  }

  /** Values that the type does not allow. */
  #wrongFor(type: ts.Type, name: string): readonly unknown[] {
    const parts = partsOf(type);
    const has = (flags: ts.TypeFlags): boolean => parts.some((part) => (part.flags & flags) !== 0);
    if (has(ts.TypeFlags.Unknown)) return [];
    return [...(has(ts.TypeFlags.Null) ? [] : [null]), ...odd].filter((value) => {
      // A reason of another version is passed on.
      if (typeof value === 'string') return !has(ts.TypeFlags.String) && name !== 'reason';
      if (typeof value === 'number') return !has(ts.TypeFlags.Number);
      if (typeof value === 'boolean') return !has(ts.TypeFlags.BooleanLike);
      return value === null || !has(ts.TypeFlags.Object);
    });
  }
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function inList(copies: readonly Copy[]): Copy {
  return { written: copies.map(({ written }) => written), read: copies.map(({ read }) => read) };
}

function asObject(members: readonly (readonly [string, Copy])[]): Copy {
  return {
    written: Object.fromEntries(members.map(([name, { written }]) => [name, written])),
    read: Object.fromEntries([...new Map(members)].flatMap(([name, { read }]) => (read === undefined ? [] : [[name, read]]))),
  };
}

function typeOfEvent(): { readonly checker: ts.TypeChecker; readonly type: ts.Type } {
  const root = path.resolve(import.meta.dirname, '../../..');
  const file = path.join(root, 'src/core/session/event.ts');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), (name) => ts.sys.readFile(name)) as {
    config: { compilerOptions: unknown };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === 'SessionEvent');
  if (symbol === undefined) throw new Error('SessionEvent is not declared where it was');
  return { checker, type: checker.getDeclaredTypeOfSymbol(symbol) };
}

const { checker, type } = typeOfEvent();
const kinds = partsOf(type).filter((one) => nameOf(one) !== 'extension');

function nameOf(one: ts.Type): unknown {
  const tag = one.getProperty('type');
  const tagType = tag && checker.getTypeOfSymbol(tag);
  return tagType?.isStringLiteral() === true ? tagType.value : undefined;
}

/** All kinds of events, each as often as the others. */
const eventsOf = (spoils: boolean): fc.Arbitrary<Copy> => {
  const generator = new Generator(checker, spoils);
  const ofKind = (name: unknown): readonly ts.Type[] => kinds.filter((one) => nameOf(one) === name);
  const names = [...new Set(kinds.map(nameOf))];
  return fc.oneof(...names.map((name) => fc.oneof(...ofKind(name).map((one) => generator.value(one)))));
};

/** An event as it may stand on disk, and as it must be read. */
export const anySavedEvent: fc.Arbitrary<Copy> = eventsOf(true);

/** Any event that the types allow. Members that have no value are absent. */
export const anyTypedEvent: fc.Arbitrary<SessionEvent> = eventsOf(false).map(({ read }) => {
  if (!isFields(read)) throw new Error('an event is an object');
  return read as SessionEvent;
});
