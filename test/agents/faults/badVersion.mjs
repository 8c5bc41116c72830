// Speaks a protocol that is not there yet.
import { misbehave, silent } from './faultBase.mjs';

misbehave(({ answer }) => {
  answer({ protocolVersion: 99, agentInfo: { name: 'from tomorrow', version: '1.0.0' }, agentCapabilities: {} });
  return silent;
});
