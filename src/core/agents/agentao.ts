import type { KnownAgent } from './agentKnowledge.js';
import { agentaoDoctorChecks } from './agentao/agentaoDoctor.js';
import { agentaoProvider } from './agentao/agentaoEnv.js';
import { checkAgentaoPrompt } from './agentao/agentaoPromptCheck.js';
import { agentaoQuirks } from './agentao/agentaoQuirks.js';

/** Source: agentao 0.5.17 and 0.4.20, both measured; the versions in between are from its changelog. */
export const agentao = {
  id: 'agentao',
  label: 'agentao',
  launch: { command: 'agentao', args: ['--acp', '--stdio'] },
  install: { command: 'uv tool install agentao', otherCommands: ['pipx install agentao', 'pip install agentao', 'pip3 install agentao'] },
  settingsSection: 'agentao',
  provider: agentaoProvider,
  acpQuirks: agentaoQuirks,
  askGate: { by: 'mode', mode: 'read-only' },
  askUserMethod: '_agentao.cn/ask_user',
  checkPrompt: checkAgentaoPrompt,
  endsWithInput: true,
  doctorChecks: agentaoDoctorChecks,
} satisfies KnownAgent;
