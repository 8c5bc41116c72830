/** The MCP servers that the files of a folder define: which of them the user allows, and the values that they need. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import {
  definedServer,
  foldToOneLine,
  inputsIn,
  type LeftOutServer,
  type McpInput,
  type McpServers,
  OneByOne,
  readMcpFiles,
  readMcpServers,
  realFolderPath,
  type Redactor,
} from '../../core/index.js';
import { mcpServerLines } from '../../text/mcpText.js';
import type { StoredValues } from '../window/secrets.js';
import { askForText, choose, plainLabel } from '../window/windowMessages.js';

export type FolderServers = ReturnType<typeof createFolderServers>;

/** A definition that can be allowed. */
interface Offer {
  readonly file: string;
  readonly name: string;
  readonly entry: unknown;
  readonly inputs: readonly McpInput[];
  /** Of everything that the consent is for, except the folder. */
  readonly hash: string;
  readonly lines: readonly string[];
}

interface Offers {
  readonly offers: readonly Offer[];
  readonly leftOut: readonly LeftOutServer[];
}

/** An input whose value is kept. */
interface StoredInput {
  readonly file: string;
  readonly id: string;
}

/** Nothing is known about what the file defines. */
const fileCodes: ReadonlySet<LeftOutServer['code']> = new Set(['file_text', 'file_place']);

/** By the hash of the definition. */
type Decisions = Readonly<Record<string, boolean>>;

/** So many lines of text fit into a question, even in a small window. */
const pageLines = 24;
/** Nobody reads more than so many pages. */
const mostPages = 4;
/** That fit on a line of a question. */
const lineChars = 48;
/** Older ones are forgotten, and asked again. */
const mostDecisions = 200;

const chooseLabel = 'Choose Servers…';
const noneLabel = "Don't Allow Any";

interface FolderServersParts {
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  /** The values of inputs. */
  readonly values: StoredValues;
  readonly redactor: Redactor;
}

export function createFolderServers({ memory, values: stored, redactor }: FolderServersParts) {
  /** The last question for each folder: two conversations that start at once ask once. */
  const asking = new Map<string, OneByOne>();
  const keyOf = (folder: string): string => `acpHost.mcpServers.${realFolderPath(folder)}`;
  const decisionsIn = (folder: string): Decisions => memory.get<Decisions>(keyOf(folder)) ?? {};
  const secretOf = (folder: string, file: string, id: string): string => hashOf([realFolderPath(folder), file, id]);
  const storedKey = (folder: string): string => `acpHost.mcpInputs.${realFolderPath(folder)}`;
  const storedIn = (folder: string): readonly StoredInput[] => memory.get<readonly StoredInput[]>(storedKey(folder)) ?? [];

  /** Forgets the values that no server of the folder needs any more. A file that can't be read now may need its own again. */
  async function forgetUnneeded(folder: string, { offers, leftOut }: Offers): Promise<void> {
    const decisions = decisionsIn(folder);
    const unread = new Set(leftOut.filter(({ code }) => fileCodes.has(code)).map(({ server }) => server));
    const needed = (file: string, id: string): boolean =>
      offers.some((offer) => offer.file === file && decisions[offer.hash] !== false && offer.inputs.some((input) => input.id === id));
    const stays = ({ file, id }: StoredInput): boolean => unread.has(file) || needed(file, id);
    const before = storedIn(folder);
    if (before.every(stays)) return;
    for (const { file, id } of before.filter((one) => !stays(one))) await stored.remove(secretOf(folder, file, id));
    await memory.update(storedKey(folder), before.filter(stays));
  }

  async function decide(folder: string, offers: readonly Offer[], allowed: readonly Offer[]): Promise<void> {
    const latest = Object.fromEntries(offers.map((offer) => [offer.hash, allowed.includes(offer)]));
    const before = Object.entries(decisionsIn(folder)).filter(([hash]) => !Object.hasOwn(latest, hash));
    await memory.update(keyOf(folder), Object.fromEntries([...before, ...Object.entries(latest)].slice(-mostDecisions)));
  }

  async function askAboutNew(folder: string, offers: readonly Offer[]): Promise<void> {
    const known = decisionsIn(folder);
    for (const page of pagesOf(offers.filter(({ hash }) => known[hash] === undefined))) {
      const chosen = await pickServers(folder, page, []);
      // These questions come unexpected: keys that were meant for something else decide nothing.
      if (chosen === undefined || (chosen !== 'none' && chosen.length === 0)) return;
      await decide(folder, page, chosen === 'none' ? [] : chosen);
    }
  }

  async function valuesOf(folder: string, { file, name, inputs }: Offer): Promise<Readonly<Record<string, string>>> {
    const values: Record<string, string> = {};
    for (const input of inputs) {
      const key = secretOf(folder, file, input.id);
      const known = await stored.read(key);
      const value = known ?? (await askForValue(name, input));
      // Without it, the server is left out. The others would be asked in vain.
      if (value === undefined) return values;
      if (known === undefined) {
        // First, so that it can be forgotten whatever happens.
        await memory.update(storedKey(folder), [...storedIn(folder), { file, id: input.id }]);
        await stored.write(key, value);
      }
      if (input.isSecret) redactor.addSecret(value);
      values[`input:${input.id}`] = value;
    }
    return values;
  }

  function inTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
    let works = asking.get(folder);
    if (works === undefined) asking.set(folder, (works = new OneByOne()));
    return works.run(work);
  }

  return {
    /**
     * Asks the user about definitions that are new or changed, and for values that are not known yet. Call it only in a trusted folder.
     * @param folder absolute
     * @param variables as for `readMcpServers`
     * @param taken the names of other servers
     * @returns what a session gets: `secretValues` are those of the user's values that no log may contain
     */
    allowedIn: (folder: string, variables: Readonly<Record<string, string | undefined>>, taken: ReadonlySet<string>) =>
      inTurn(folder, async () => {
        const found = await offersIn(folder, taken);
        const { offers, leftOut } = found;
        await askAboutNew(folder, offers);
        await forgetUnneeded(folder, found);
        const decisions = decisionsIn(folder);
        const servers: McpServers['servers'][number][] = [];
        const problems: LeftOutServer[] = [...leftOut];
        const secretValues: string[] = [];
        for (const offer of offers) {
          const isAllowed = decisions[offer.hash];
          if (isAllowed !== true) {
            problems.push({ server: offer.name, code: isAllowed === undefined ? 'undecided' : 'declined' });
            continue;
          }
          const values = await valuesOf(folder, offer);
          const read = readMcpServers({ [offer.name]: offer.entry }, { ...variables, ...values });
          servers.push(...read.servers);
          problems.push(...read.problems);
          secretValues.push(...offer.inputs.filter(({ isSecret }) => isSecret).flatMap(({ id }) => values[`input:${id}`] ?? []));
        }
        return { servers, problems, secretValues };
      }),
    /**
     * Lets the user decide again, and forgets the values of servers that are no longer allowed.
     * @returns `none`: no file of the folder defines a server
     */
    chooseAgain: (folder: string) =>
      inTurn(folder, async (): Promise<'none' | 'unchanged' | 'changed'> => {
        const found = await offersIn(folder, new Set());
        const { offers } = found;
        if (offers.length === 0) await forgetUnneeded(folder, found);
        if (offers.length === 0) return 'none';
        const before = decisionsIn(folder);
        const allowed: Offer[] = [];
        for (const page of pagesOf(offers)) {
          const chosen = await pickServers(
            folder,
            page,
            page.filter(({ hash }) => before[hash] === true),
          );
          if (chosen === undefined) return 'unchanged';
          if (chosen !== 'none') allowed.push(...chosen);
        }
        await decide(folder, offers, allowed);
        await forgetUnneeded(folder, found);
        return offers.every((offer) => (before[offer.hash] === true) === allowed.includes(offer)) ? 'unchanged' : 'changed';
      }),
  };
}

/** Everything that the user can decide about, and what can't be given to an agent anyway. */
async function offersIn(folder: string, taken: ReadonlySet<string>): Promise<Offers> {
  const offers: Offer[] = [];
  const leftOut: LeftOutServer[] = [];
  const names = new Set(taken);
  let height = 0;
  for (const { name: file, content } of await readMcpFiles(folder)) {
    if (content === undefined || content === 'other') {
      leftOut.push({ server: file, code: content === undefined ? 'file_text' : 'file_place' });
      continue;
    }
    for (const [name, entry] of Object.entries(content.entries)) {
      const server = definedServer(name, entry);
      const lines = 'code' in server ? [] : mcpServerLines(server, file);
      const needed = heightOf(lines);
      if (names.has(name)) leftOut.push({ server: name, code: 'same_name' });
      else if ('code' in server) leftOut.push(server);
      else if (needed > pageLines || height + needed > pageLines * mostPages) leftOut.push({ server: name, code: 'too_long' });
      else {
        const ids = inputsIn(entry);
        const inputs = content.inputs.filter(({ id }, index, all) => ids.has(id) && all.findIndex((one) => one.id === id) === index);
        height += needed;
        names.add(name);
        // With the inputs: one that is no secret any more would stand in logs.
        offers.push({ file, name, entry, inputs, hash: hashOf([file, server, inputs]), lines });
      }
    }
  }
  return { offers, leftOut };
}

/** With the space below. */
function heightOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Math.ceil(line.length / lineChars), 1);
}

/** Each page is a question that can be seen as a whole. */
function pagesOf(offers: readonly Offer[]): readonly (readonly Offer[])[] {
  const pages: Offer[][] = [];
  let room = 0;
  for (const offer of offers) {
    const needed = heightOf(offer.lines);
    if (needed > room) {
      pages.push([]);
      room = pageLines;
    }
    pages.at(-1)?.push(offer);
    room -= needed;
  }
  return pages;
}

/** Shows all of each definition. @returns undefined if the user closed the question */
async function pickServers(
  folder: string,
  offers: readonly Offer[],
  allowed: readonly Offer[],
): Promise<readonly Offer[] | 'none' | undefined> {
  const detail = [
    'A command runs on this machine, with your rights. Allow only servers that you trust. You are asked again if a definition changes.',
    ...offers.map(({ lines }) => lines.join('\n')),
  ].join('\n\n');
  const answer = await choose(`Which MCP servers of the folder ${basename(folder)} may agents use?`, detail, chooseLabel, noneLabel);
  if (answer === noneLabel) return 'none';
  if (answer !== chooseLabel) return undefined;
  const items = offers.map((offer) => ({
    offer,
    label: plainLabel(offer.lines[0] ?? offer.name),
    detail: plainLabel(
      offer.lines
        .slice(1)
        .map((line) => line.trim())
        .join(' '),
    ),
    picked: allowed.includes(offer),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'MCP Servers of the Folder',
    placeHolder: 'Select the servers that agents may use in this folder',
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ offer }) => offer);
}

/** @returns undefined if the user gave none */
async function askForValue(server: string, { description, choices, fallback, isSecret }: McpInput): Promise<string | undefined> {
  const title = `Value for the MCP Server "${foldToOneLine(server)}"`;
  const prompt = foldToOneLine(description);
  if (choices !== undefined) {
    const items = choices.map((value) => ({ label: plainLabel(value), value }));
    return (await vscode.window.showQuickPick(items, { title, placeHolder: prompt, ignoreFocusOut: true }))?.value;
  }
  return askForText({ title, prompt, password: isSecret, ...(fallback !== undefined && { value: fallback }) });
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
