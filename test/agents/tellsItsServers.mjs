// Says which MCP servers it got, as JSON. It can reach those over HTTP with HTTP=1.
import { say, serve } from './wire.mjs';

let servers = [];
serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'test-agent', version: '1.0.0' },
    agentCapabilities: { mcpCapabilities: { http: process.env.HTTP === '1' } },
    authMethods: [],
  }),
  'session/new': ({ mcpServers }) => {
    servers = mcpServers;
    return { sessionId: 's1' };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, JSON.stringify(servers));
    return { stopReason: 'end_turn' };
  },
});
