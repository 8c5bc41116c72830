import assert from 'node:assert/strict';
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import * as z from 'zod/mini';
import { knownAgents, readMcpServers } from '../../src/core/index.js';
import { actionIds } from '../../src/contract/actions.js';
import { actionOf, commandOf, isOfChatView, titleOf } from '../../src/contract/userActions.js';
import { ChatFocus } from '../../src/extension/chat/chatPages.js';
import { chatFocusedKey, contextKeys, previewDecidesKey } from '../../src/extension/status/attention.js';
import { emptyChatView } from './views.js';
import { settingsTable } from '../../src/extension/window/settings.js';

const root = path.resolve(import.meta.dirname, '../..');

const whenSchema = z.object({ command: z.optional(z.string()), submenu: z.optional(z.string()), when: z.optional(z.string()) });
const manifestSchema = z.object({
  capabilities: z.object({ untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }) }),
  contributes: z.object({
    commands: z.array(z.object({ command: z.string(), title: z.string(), category: z.string(), enablement: z.optional(z.string()) })),
    submenus: z.array(z.object({ id: z.string(), label: z.string() })),
    menus: z.record(z.string(), z.array(whenSchema)),
    keybindings: z.array(z.object({ command: z.string(), key: z.string(), win: z.optional(z.string()), when: z.optional(z.string()) })),
    walkthroughs: z.array(
      z.object({
        steps: z.array(
          z.object({
            description: z.string(),
            media: z.object({ svg: z.optional(z.string()), markdown: z.optional(z.string()) }),
            completionEvents: z.array(z.string()),
          }),
        ),
      }),
    ),
    configuration: z.object({
      properties: z.record(z.string(), z.looseObject({ type: z.string(), default: z.unknown(), scope: z.string() })),
    }),
  }),
});
const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
const { contributes, capabilities } = manifest;

/** Titles by the ids of commands. */
const titles = new Map(
  actionIds.flatMap((action) => {
    const id = commandOf(action);
    return id === undefined ? [] : [[id, titleOf(action)] as const];
  }),
);

async function extensionSource(): Promise<string> {
  const folder = path.join(root, 'src/extension');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return (await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n');
}

test('exactly the commands of the table are contributed', () => {
  const commands = contributes.commands.filter(({ command }) => !isOfChatView(command));
  assert.deepEqual(new Map(commands.map(({ command, title }) => [command, title])), titles);
  // The editor lists all commands for keyboard shortcuts, where two of one name could not be told apart.
  for (const { command, category } of contributes.commands)
    assert.equal(category, isOfChatView(command) ? 'ACP Host Chat View' : 'ACP Host', command);
});

test('menus and key bindings refer to existing commands', () => {
  for (const { command, submenu } of Object.values(contributes.menus).flat())
    assert.ok(
      command === undefined
        ? contributes.submenus.some(({ id }) => id === submenu && id in contributes.menus)
        : contributes.commands.some((one) => one.command === command),
      command,
    );
  for (const { command } of contributes.keybindings) assert.ok(titles.has(command), command);
});

test('the title bar of the chat view acts on the conversation in it, whichever tab is active', () => {
  const { commandPalette = [], 'view/title': all = [] } = contributes.menus;
  const inTitle = all.filter(({ when }) => when?.startsWith('view == acpHost.chat') === true && !when.includes('conversations'));
  // These have the same result for every conversation.
  const general = ['showHistory', 'showLog', 'showTraffic', 'reportProblem'].map((name) => `acpHost.${name}`);
  const own = inTitle.map(({ command = '' }) => command).filter((command) => !general.includes(command));
  assert.ok(own.length > 0);
  assert.deepEqual(
    own.toSorted(),
    contributes.commands
      .map(({ command }) => command)
      .filter(isOfChatView)
      .toSorted(),
  );
  for (const command of own) {
    const contributed = contributes.commands.find((one) => one.command === command);
    const action = actionOf(command);
    assert.equal(contributed?.title, action && titleOf(action), command);
    assert.equal(commandPalette.find((one) => one.command === command)?.when, 'false', command);
  }
});

test('Stop Turn in the chat view depends on the conversation in it', () => {
  const [idle, busy] = [emptyChatView(), emptyChatView()];
  busy.composer.busy = true;
  const facts = { hasHunks: false, pending: 0, signsOut: false, listed: undefined, showsArchived: false };
  const isSet = (key: `acpHost.${string}`, view: typeof idle, shown: typeof idle): boolean | undefined =>
    contextKeys[key]?.({ ...facts, view, shown });
  assert.deepEqual([isSet('acpHost.chatViewBusy', idle, busy), isSet('acpHost.chatViewBusy', busy, idle)], [true, false]);
  assert.deepEqual([isSet('acpHost.busy', idle, busy), isSet('acpHost.busy', busy, idle)], [false, true]);
  const stop = Object.values(contributes.menus)
    .flat()
    .filter(({ command, when }) => command === 'acpHost.chatView.cancelTurn' && when !== 'false');
  assert.deepEqual(
    stop.map(({ when }) => when),
    ['view == acpHost.chat && acpHost.chatViewBusy'],
  );
});

test('a key binding has three keys or requires the focus of this extension or its tab, and none acts on the list while the user types in its Find box', () => {
  for (const { key, when } of contributes.keybindings)
    if (!/^ctrl\+alt\+[a-z]$/.test(key) && when !== "focusedView == 'acpHost.conversations' && !inputFocus")
      assert.match(
        when ?? '',
        /\bacpHost\.(?:chatFocused\b|previewDecides && editorTextFocus && isInDiffEditor && !commentEditorFocused$)/,
        key,
      );
});

test('no key binding is a key of Windows itself', () => {
  for (const { key, win = key } of contributes.keybindings) assert.notEqual(win, 'ctrl+escape', 'opens the Start menu');
});

test('the chat has the keyboard focus while any of its pages has it', () => {
  const told: boolean[] = [];
  const focus = new ChatFocus((focused) => told.push(focused));
  const [view, tab] = [{}, {}];
  focus.set(view, true);
  focus.set(tab, true);
  focus.set(view, false);
  assert.deepEqual(told, [true]);
  focus.set(tab, false);
  focus.set(tab, false);
  assert.deepEqual(told, [true, false]);
});

test('the walkthrough refers to existing commands and pictures, and each of its buttons completes the step', async () => {
  for (const { description, media, completionEvents } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    const commands = [...description.matchAll(/\(command:([\w.]+)\)/g)].map(([, id]) => id ?? '');
    const completing = completionEvents.filter((event) => event !== 'onView:acpHost.chat').map((event) => event.replace('onCommand:', ''));
    for (const id of [...commands, ...completing])
      assert.ok(
        contributes.commands.some(({ command }) => command === id),
        id,
      );
    // A link in a line of its own is a button.
    for (const [, button = ''] of description.matchAll(/^\[.+\]\(command:([\w.]+)\)$/gm)) assert.ok(completing.includes(button), button);
    await access(path.join(root, media.svg ?? media.markdown ?? assert.fail('a step without a picture')));
  }
});

test('exactly the settings of the table are contributed, with the same defaults', () => {
  const declared = Object.fromEntries(
    Object.entries(contributes.configuration.properties).map(([key, property]) => [key, property.default]),
  );
  const known = Object.fromEntries(Object.entries(settingsTable).map(([key, { fallback }]) => [`acpHost.${key}`, fallback]));
  assert.deepEqual(declared, known);
});

test('every setting is read', async () => {
  const source = await extensionSource();
  const sections = new Set(knownAgents.map(({ settingsSection }) => settingsSection));
  for (const key of Object.keys(settingsTable)) {
    const [section, part] = key.split('.');
    assert.ok(source.includes(sections.has(section) ? `readPart('${part}')` : `read('${key}')`), key);
  }
});

test('settings that start programs or turn off questions have machine scope and are restricted in untrusted workspaces', () => {
  const machine = Object.entries(contributes.configuration.properties)
    .filter(([, { scope }]) => scope === 'machine')
    .map(([key]) => key);
  const harmless = machine.filter((key) => /^acpHost\.(changes|deadlines|engine|journal)\./.test(key));
  assert.deepEqual(
    capabilities.untrustedWorkspaces.restrictedConfigurations.toSorted(),
    machine.filter((key) => !harmless.includes(key)).toSorted(),
  );
  assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
});

test('every own condition of a key binding is set somewhere, and every condition that is set is used', () => {
  const conditions = [...Object.values(contributes.menus).flat(), ...contributes.keybindings]
    .map(({ when }) => when ?? '')
    .concat(contributes.commands.map(({ enablement }) => enablement ?? ''));
  const used = new Set(conditions.flatMap((when) => [...when.matchAll(/acpHost\.\w+/g)].map(([key]) => key)));
  for (const id of ['acpHost.chat', 'acpHost.chatPanel', 'acpHost.prompts', 'acpHost.conversations']) used.delete(id);
  assert.deepEqual([...used].toSorted(), [...Object.keys(contextKeys), chatFocusedKey, previewDecidesKey].toSorted());
});

test('the settings editor offers the transports of MCP servers that are understood, also by the name that MCP has for one', () => {
  const entry = z.object({ additionalProperties: z.object({ properties: z.object({ type: z.object({ enum: z.array(z.string()) }) }) }) });
  const { type } = entry.parse(contributes.configuration.properties['acpHost.mcpServers']).additionalProperties.properties;
  const read = (transport: string) => readMcpServers({ a: { type: transport, command: 'a', url: 'https://example.com' } }, {});
  assert.deepEqual(
    type.enum.filter((transport) => read(transport).servers.length === 0),
    [],
  );
  assert.ok(type.enum.includes('streamable-http'));
});
