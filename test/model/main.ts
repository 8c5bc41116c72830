/**
 * `node --import tsx test/model/main.ts [--port N]`: the mock model as a program, for trying a real agent without a key. Ends with Ctrl+C.
 */
import { parseArgs } from 'node:util';
import { startMockModel } from './mockModel.js';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const model = await startMockModel({ port: Number(values.port), gateDelayMs: 3000 });

console.log(`The mock model listens. Start agentao with this environment, and put SC:text (or another marker) into a prompt:

export LLM_PROVIDER=OPENAI OPENAI_API_KEY=mock OPENAI_BASE_URL=${model.baseUrl} OPENAI_MODEL=mock NO_PROXY=127.0.0.1`);
process.once('SIGINT', () => void model.close());
