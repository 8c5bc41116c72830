// Reports a protocol version that does not exist yet.
import { misbehave, silent } from './faultBase.mjs';

misbehave(({ answer }) => {
  answer({ protocolVersion: 99, agentInfo: { name: 'from tomorrow', version: '1.0.0' }, agentCapabilities: {} });
  return silent;
});
