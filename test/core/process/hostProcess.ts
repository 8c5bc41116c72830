/**
 * A host as a separate process, which tests kill: `hostProcess.ts AGENT [ARG…]` starts an agent of test/agents and prints its first message
 * with its pid. It reads commands from stdin: `answer` prints a line, `stop` ends the agent and then itself gracefully, `exit` ends itself
 * at once.
 */
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { nullLogger } from '../../../src/core/base/logger.js';
import { spawnAgentProcess } from '../../../src/core/process/agentProcess.js';
import { agentScript, receive } from './launch.js';

const [name = '', ...args] = process.argv.slice(2);
const agent = await spawnAgentProcess({
  command: process.execPath,
  args: [agentScript(name), ...args],
  cwd: tmpdir(),
  env: process.env,
  log: nullLogger,
});
const first = await receive(agent.channel).at(0);
console.log(JSON.stringify({ pid: agent.pid, first }));
const input = createInterface({ input: process.stdin });
for await (const order of input) {
  if (order === 'exit') process.exit(0);
  if (order === 'stop') break;
  console.log(order);
}
await agent.stop({ force: true });
input.close();
process.stdin.destroy();
