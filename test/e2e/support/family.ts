/** A workbench with a stand-in for an agent of each protocol other than ACP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { type StandIn, startStandIn } from '../../standIns/startStandIn.js';
import type { Chat } from './chat.js';
import { root, withTypeScript, Workbench } from './workbench.js';

export const rightKey = 'the-right-key-1234';

export interface Family {
  readonly workbench: Workbench;
  readonly cli: StandIn;
  readonly service: StandIn;
  readonly secure: StandIn;
  /** Begins a conversation with the agent that has this label. */
  chatWith(label: string): Promise<Chat>;
  /** Chooses **Set API Key** and enters the key. */
  giveKey(chat: Chat, key: string): Promise<void>;
  /** Waits for a modal dialog of the workbench. */
  modal(): Promise<Locator>;
  /** Starts a server on the port of one that was killed. It is stopped with the others. */
  restart(standIn: StandIn, args: readonly string[]): Promise<StandIn>;
  close(): Promise<void>;
}

export async function openFamily(): Promise<Family> {
  const ends: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const one of ends.toReversed()) await one();
  };
  const start = (name: string, args: readonly string[]): Promise<StandIn> =>
    startStandIn({ after: (stop: () => unknown) => void ends.push(stop) }, name, args);
  try {
    const sessions = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-pi-'));
    ends.push(() => rm(sessions, { recursive: true, force: true }));
    const [cli, service, secure] = await Promise.all([
      start('agentCli', ['--documented']),
      start('agentService', ['--key', rightKey]),
      start('agentService', ['--key', rightKey, '--tls', 'self']),
    ]);
    const pi = (label: string, dialect: string, ...more: string[]) => ({
      label,
      protocol: 'pi',
      command: process.execPath,
      args: [path.join(root, 'test/standIns/piStandIn.mjs'), '--dialect', dialect, '--sessions', sessions, ...more],
    });
    const atService = { protocol: 'agent-service', url: service.url };
    const workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'parser.ts': code },
      // The TypeScript extension provides the functions in a file.
      ...withTypeScript,
      machineSettings: {
        'acpHost.agents': {
          pi: pi('Pi', 'pi074'),
          newPi: pi('New Pi', 'pi087'),
          mortal: pi('Mortal Pi', 'pi074', '--mortal'),
          cli: { label: 'Remote CLI', protocol: 'agent-cli', url: cli.url },
          service: { ...atService, label: 'Code service', codeNavigation: true },
          closed: { ...atService, label: 'Closed service' },
          secure: { label: 'Secure service', protocol: 'agent-service', url: secure.url },
          far: { label: 'Far service', protocol: 'agent-service', url: 'ws://far.invalid:8080/ws' },
        },
      },
    });
    ends.push(() => workbench.close());
    return {
      workbench,
      cli,
      service,
      secure,
      async chatWith(label) {
        await workbench.command('ACP Host: New Conversation with Agent…');
        await workbench.quickInput.getByRole('option', { name: new RegExp(`^\\S+ ${label},`) }).click();
        const chat = await workbench.pageIn('sidebar');
        await chat.frame.getByText(`What should ${label} do?`).waitFor();
        return chat;
      },
      async giveKey(chat, key) {
        await chat.button('Set API Key').click();
        await workbench.answer('API Key for', key);
      },
      async modal() {
        const dialog = workbench.page.locator('.monaco-dialog-box');
        await dialog.waitFor();
        return dialog;
      },
      restart: (standIn, args) => start('agentService', [...args, '--port', new URL(standIn.url).port]),
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

export const code = [
  'export const limit = 1;',
  '',
  'export function parse(text: string): number {',
  '  return Number(text);',
  '}',
  '',
].join('\n');
