/** Adds the parrot protocol to the program that is loaded afterwards: `node --import tsx --import <this file> …`. */
import { fileURLToPath } from 'node:url';
import { addKnownAgent, addProtocol, HostError, type ProcessDefinition } from '../../src/core/index.js';
import { parrot } from './parrot.js';

const launch = { command: process.execPath, args: [fileURLToPath(new URL('../agents/parrot.mjs', import.meta.url))] };

addProtocol('parrot', parrot);
/** A parrot that is reached at a URL and gets a key. Nothing listens on port 1. */
export const serverProtocol = 'parrot-server';
addProtocol(serverProtocol, {
  peer: 'server',
  frames: parrot.frames,
  async connect({ readKey, agent, ...o }) {
    if (new URL(agent.url).port === '1') throw new HostError('handshake_failed', { detail: 'nobody is there', url: agent.url });
    const key = await readKey();
    return parrot.connect({ ...o, agent: { ...launch, label: agent.label, env: { PARROT_KEY: key ?? null } } });
  },
});
addKnownAgent({ id: 'parrot', label: 'Parrot', protocol: 'parrot', launch });

export const parrotAgent: ProcessDefinition = { id: 'parrot', label: 'Parrot', env: {}, protocol: 'parrot', ...launch };
