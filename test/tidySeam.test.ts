/** Checks what must stay below the seam: the types, words and folder of a protocol, and access to paths that an agent names. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parseSource, type SourceFile, sources } from './tidySource.js';

/** Returns the violations in a file. */
type Rule = (file: SourceFile) => readonly string[];

/** `src/core/backends/acp/` and the like. */
const protocolFolder = /^src\/core\/backends\/[^/]+\//;
/** These speak ACP as agents: the demo agent, and `serve` on behalf of any agent. */
const acpAgents = /^src\/(?:demo-agent|serve)\//;

const sdkTypes: Rule = ({ path: file, imports }) =>
  file.startsWith('src/core/backends/acp/') || acpAgents.test(file)
    ? []
    : imports
        .filter(({ specifier }) => specifier.startsWith('@agentclientprotocol/'))
        .map(({ specifier }) => `${file} imports ${specifier}`);

const methodName = /^(?:session|fs|terminal|elicitation|nes|document|providers|mcp)\/[a-z_/]+$|^(?:initialize|authenticate|logout)$/;
const vendorMethod = /^_[\w.-]+\/\w+/;
const updateKind = new RegExp(
  `^(?:${[
    ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'usage_update'],
    ['available_commands_update', 'current_mode_update', 'config_option_update', 'session_info_update'],
    ['compaction_update', 'compaction_summary_chunk', 'sessionUpdate'],
  ]
    .flat()
    .join('|')})$`,
);
const jsonRpc = /^jsonrpc$|^\$\//;

/** Words in data that docs/cli.md documents: a value of `awaiting`, and the type of an ACP update. */
const promised: Readonly<Record<string, readonly string[]>> = {
  'src/core/host/api.ts': ['initialize'],
  'src/core/host/agentLife.ts': ['initialize'],
  'src/cli/output/eventSchema.ts': ['initialize', 'sessionUpdate'],
};

const wireWords: Rule = ({ path: file, literals, names }) => {
  if (protocolFolder.test(file) || acpAgents.test(file)) return [];
  const isAllowed = (word: string): boolean => {
    if (promised[file]?.includes(word) === true) return true;
    // Front ends and the engine speak it, too.
    if (jsonRpc.test(word)) return file.startsWith('src/core/rpc/') || file === 'src/core/link/socketWire.ts';
    // The extensions of one agent are in the folder of that agent.
    return file.startsWith('src/core/agents/') && (methodName.test(word) || vendorMethod.test(word));
  };
  const isWord = (text: string): boolean => [methodName, vendorMethod, updateKind, jsonRpc].some((pattern) => pattern.test(text));
  const spoken = [...literals, ...['jsonrpc', 'sessionUpdate'].filter((name) => names.has(name))];
  return spoken.filter((text) => isWord(text) && !isAllowed(text)).map((text) => `${file}: ${text}`);
};

const peeking: Rule = ({ path: file, names }) =>
  ['peekFile', 'peekFileNow'].some((name) => names.has(name)) && !['src/core/node/peekFile.ts', 'src/core/services/files.ts'].includes(file)
    ? [`${file}: peekFile`]
    : [];

/** The only part of ACP that is exported to programs: the projection of events to ACP updates. */
const published = (file: string, target: string): boolean =>
  file === 'src/core/index.ts' && target === 'src/core/backends/acp/acpProjection.js';

const protocolImports: Rule = ({ path: file, imports }) =>
  file.startsWith('src/core/backends/')
    ? []
    : imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier))
        .filter((target) => protocolFolder.test(target) && !published(file, target))
        .map((target) => `${file} imports ${target}`);

const rules: readonly {
  readonly name: string;
  readonly rule: Rule;
  /** Files and lines, each with one violation. */
  readonly bad: readonly (readonly [file: string, text: string])[];
  readonly good: readonly (readonly [file: string, text: string])[];
}[] = [
  {
    name: 'only core/backends/acp, the demo agent and serve import the SDK',
    rule: sdkTypes,
    bad: [
      ['src/core/host/x.ts', "import type { StopReason } from '@agentclientprotocol/sdk';"],
      ['src/core/backends/other/x.ts', "export type { StopReason } from '@agentclientprotocol/sdk';"],
      ['src/cli/x.ts', "const sdk = await import('@agentclientprotocol/sdk');"],
      ['src/core/session/x.ts', "type Reason = import('@agentclientprotocol/sdk').StopReason;"],
    ],
    good: [['src/core/backends/acp/x.ts', "import type { StopReason } from '@agentclientprotocol/sdk';"]],
  },
  {
    name: 'words of a protocol are only in its folder, those of JSON-RPC in core/rpc, and those of one agent in core/agents',
    rule: wireWords,
    bad: [
      ['src/core/host/x.ts', "send('session/prompt');"],
      ['src/core/host/x.ts', "const isHandshake = method === 'initialize';"],
      ['src/core/host/restartPolicy.ts', "const awaiting = 'initialize';"],
      ['src/core/conversation/x.ts', "switch (kind) { case 'agent_message_chunk': break; }"],
      ['src/extension/traffic/x.ts', 'const frame = { jsonrpc: 1 };'],
      ['src/core/traffic/x.ts', "const version = frame['jsonrpc'];"],
      ['src/core/backends/x.ts', 'const kind = update.sessionUpdate;'],
      ['src/core/services/x.ts', "const method = '_agent.example/ask_user';"],
      ['src/core/traffic/x.ts', 'const method = `$/cancelRequest`;'],
      ['src/core/rpc/x.ts', "const method = 'fs/read_text_file';"],
      ['src/core/agents/x.ts', "const kind = 'tool_call_update';"],
    ],
    good: [
      ['src/core/host/x.ts', '/** As after `session/load`. */ const text = "It did not answer `initialize`";'],
      ['src/core/backends/other/x.ts', "send('session/prompt');"],
      ['src/core/rpc/x.ts', "const frame = { jsonrpc: '2.0', method: '$/cancelRequest' };"],
      ['src/core/agents/x.ts', "const askUserMethod = '_agent.example/ask_user';"],
      ['src/core/host/api.ts', "const awaiting = 'initialize';"],
      ['src/core/session/x.ts', "const types = ['plan', 'tool', 'notice', 'usage'];"],
    ],
  },
  {
    name: 'only core/services/files.ts opens paths that an agent names',
    rule: peeking,
    bad: [
      ['src/core/backends/acp/x.ts', "import { peekFile } from '../../node/peekFile.js';"],
      ['src/extension/x.ts', 'const text = await node.peekFile(path, 1);'],
    ],
    good: [['src/core/services/files.ts', "import { peekFile } from '../node/peekFile.js';"]],
  },
  {
    name: 'only core/backends imports the folder of a protocol',
    rule: protocolImports,
    bad: [
      ['src/core/host/x.ts', "import { connectAcp } from '../backends/acp/acpBackend.js';"],
      ['src/core/index.ts', "export type { AcpSession } from './backends/acp/acpSession.js';"],
      ['src/cli/commands/x.ts', "import type { AcpSession } from '../../core/backends/acp/acpSession.js';"],
      ['src/core/agents/x.ts', "type Session = import('../backends/acp/acpSession.js').AcpSession;"],
    ],
    good: [
      ['src/core/backends/protocols.ts', "import { connectAcp } from './acp/acpBackend.js';"],
      ['src/core/host/x.ts', "import type { AgentBackend } from '../backends/agentBackend.js';"],
      ['src/core/index.ts', "export { AcpProjection } from './backends/acp/acpProjection.js';"],
    ],
  },
];

describe('below the seam', () => {
  for (const { name, rule, bad, good } of rules) {
    test(name, () => assert.deepEqual(sources.flatMap(rule), []));
    test(`a violation is detected: ${name}`, () => {
      for (const [file, text] of bad) assert.equal(rule(parseSource(file, text)).length, 1, `${file}: ${text}`);
      for (const [file, text] of good) assert.deepEqual(rule(parseSource(file, text)), [], `${file}: ${text}`);
    });
  }

  test('every documented word is still used', () => {
    for (const [file, words] of Object.entries(promised)) {
      const source = sources.find((one) => one.path === file);
      for (const word of words)
        assert.ok(source?.literals.includes(word) === true || source?.names.has(word) === true, `${file} does not use ${word}`);
    }
  });
});
