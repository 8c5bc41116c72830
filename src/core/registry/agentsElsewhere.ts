/** The agents that the user configured for other ACP hosts. They are offered, never used by themselves: nothing here starts or writes anything. */
import path from 'node:path';
import * as z from 'zod/mini';
import type { AgentDefinition } from '../agents/agentDefinition.js';
import { type Fields, isFields } from '../base/fields.js';
import { parseRelaxedJson } from '../base/parseJson.js';
import { homeFolder } from '../node/homeFolder.js';
import { namesIn, readSmallFile } from '../node/smallFiles.js';

export interface AgentElsewhere {
  /** The application that has it in its settings; for an extension, its editor. */
  readonly host: 'zed' | 'jetbrains' | 'vscode';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** May contain secrets. */
  readonly env: Readonly<Record<string, string>>;
}

/** The members that have agents, in any of the files. Source: the settings of Zed, of JetBrains IDEs and of extensions for VS Code. */
export const keysOfAgentsElsewhere = ['agent_servers', 'acp.agents', 'chat.agentHost.acpAgents'] as const;

const limitBytes = 1024 * 1024;
/** Nobody configures more, and a list has no room for them. */
const mostAgents = 100;
const mostProfiles = 50;

const text = z.string().check(z.regex(/^[^\0]+$/));
const launch = {
  args: z._default(z.array(z.string().check(z.regex(/^[^\0]*$/))), []),
  env: z._default(z.record(text, z.string()), {}),
};
/** What Zed installs itself, from its registry or an extension, has no command. */
const entrySchema = z.object({
  name: z.optional(z.string()),
  id: z.optional(z.string()),
  command: z.union([text, z.object({ path: text, ...launch })]),
  ...launch,
});

/**
 * Returns each agent once, without those that can be chosen already.
 * @param own all agents that can be chosen
 * @param settings of VS Code, if the caller knows them: members by their full keys; else they are read from the files of all its profiles
 */
export function listAgentsElsewhere(own: readonly AgentDefinition[], env: NodeJS.ProcessEnv, settings?: Fields): readonly AgentElsewhere[] {
  const known = new Set(own.map((one) => ('url' in one ? one.url : launchOf(one))));
  return agentsOfHosts(env, settings)
    .filter((one) => {
      const isNew = !known.has(launchOf(one));
      known.add(launchOf(one));
      return isNew;
    })
    .slice(0, mostAgents);
}

function agentsOfHosts(env: NodeJS.ProcessEnv, settings: Fields | undefined): readonly AgentElsewhere[] {
  let home: string;
  try {
    home = homeFolder();
  } catch {
    return [];
  }
  return [
    ...agentsIn('zed', readSettings(settingsFile('zed', home, env)), home),
    ...agentsIn('jetbrains', readSettings(path.join(home, '.jetbrains/acp.json')), home),
    ...(settings === undefined ? settingsOfProfiles(home, env) : [settings]).flatMap((one) => agentsIn('vscode', one, home)),
  ];
}

/** The settings of the default profile of VS Code, and of the others. */
function settingsOfProfiles(home: string, env: NodeJS.ProcessEnv): readonly Fields[] {
  const file = settingsFile('Code/User', home, env);
  const profiles = path.join(path.dirname(file), 'profiles');
  let names: readonly string[] = [];
  try {
    names = namesIn(profiles).slice(0, mostProfiles);
  } catch {
    // A folder that can't be read has none.
  }
  return [file, ...names.map((name) => path.join(profiles, name, path.basename(file)))].map(readSettings);
}

function settingsFile(application: 'zed' | 'Code/User', home: string, env: NodeJS.ProcessEnv): string {
  const config = path.join(home, '.config');
  // On macOS, Zed follows the convention of Linux.
  const folder =
    process.platform === 'win32'
      ? env['APPDATA'] || path.join(home, 'AppData/Roaming')
      : process.platform !== 'darwin'
        ? env['XDG_CONFIG_HOME'] || config
        : application === 'zed'
          ? config
          : path.join(home, 'Library/Application Support');
  return path.join(folder, application, 'settings.json');
}

/** A file that can't be read has none. */
function readSettings(file: string): Fields {
  let content: string | undefined;
  try {
    content = readSmallFile(file, limitBytes)?.text;
  } catch {
    return {};
  }
  const settings = parseRelaxedJson(content ?? '');
  return isFields(settings) ? settings : {};
}

/** An entry that is none is left out, and affects no other. */
function agentsIn(host: AgentElsewhere['host'], settings: Fields, home: string): readonly AgentElsewhere[] {
  return keysOfAgentsElsewhere.flatMap((key) => {
    const value = settings[key];
    const named = Array.isArray(value) ? value.map((entry: unknown) => ['', entry] as const) : isFields(value) ? Object.entries(value) : [];
    return named.flatMap(([ofMember, entry]) => {
      const { data } = entrySchema.safeParse(entry);
      if (data === undefined) return [];
      const { path: given, args, env } = typeof data.command === 'string' ? { ...data, path: data.command } : data.command;
      const command = given.replace(/^~(?=[/\\])/, () => home);
      // It would lead into whatever folder is open.
      if (/[/\\]/.test(command) && !path.isAbsolute(command)) return [];
      const name = (data.name ?? (ofMember || data.id) ?? '').trim() || path.basename(command);
      return [{ host, name, command, args, env }];
    });
  });
}

function launchOf({ command, args, env }: Pick<AgentElsewhere, 'command' | 'args'> & { readonly env: Fields }): string {
  return JSON.stringify([command, args, Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
