/** What a person can do about a failure; the failure itself is said by its message. */
import type { HostErrorCode, HostErrorData } from '../../core/index.js';

const advice: Partial<Readonly<Record<HostErrorCode, string>>> = {
  agent_not_found: 'Check the name with `acp-host agents`, or give the whole path with --command. agentao: uv tool install agentao',
  spawn_failed: 'Check that the file is a program that this machine can run.',
  handshake_failed: 'Check that the command starts an agent that speaks ACP over stdin and stdout, e.g. `agentao --acp --stdio`.',
  handshake_timeout:
    'Check that the command starts an agent that speaks ACP over stdin and stdout; a first start may also just be slow: try again.',
  version_unsupported: 'Update the agent, or acp-host.',
  unsupported: 'This agent cannot do that. `acp-host run --format json` shows its capabilities in the session event.',
  provider_failed: 'That comes from the model provider of the agent. Try again, or check the key and model in its configuration.',
  request_timeout: 'Try again; if it stays so, start the agent by itself and look what it waits for.',
};

/** Lines that come after the message; none where there is nothing to do. */
export function adviceFor({ code }: HostErrorData): readonly string[] {
  const line = advice[code];
  return line === undefined ? [] : [line];
}
