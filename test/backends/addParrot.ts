/** Makes the parrot known to whatever program is loaded after this: `node --import tsx --import <this file> …`. */
import { fileURLToPath } from 'node:url';
import { type AgentDefinition, addKnownAgent, addProtocol } from '../../src/core/index.js';
import { parrot } from './parrot.js';

const launch = { command: process.execPath, args: [fileURLToPath(new URL('../agents/parrot.mjs', import.meta.url))] };

addProtocol('parrot', parrot);
addKnownAgent({ id: 'parrot', label: 'Parrot', protocol: 'parrot', launch });

export const parrotAgent: AgentDefinition = { id: 'parrot', label: 'Parrot', env: {}, protocol: 'parrot', ...launch };
