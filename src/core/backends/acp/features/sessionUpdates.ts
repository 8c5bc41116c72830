/**
 * ACP `session/update`: what the agent says and does, in wire order. It declares notices, compactions, plans with ids, sub-agents and boolean
 * options, which an agent only sends to clients that declare them.
 */
import { incoming } from '../schema/methods.js';
import { parseSessionNotification } from '../schema/updates.js';
import type { AcpFeature } from './feature.js';

export const sessionUpdates: AcpFeature = {
  capabilities: () => ({ session: { configOptions: { boolean: {} }, notices: {}, compaction: {} }, plan: {}, subagents: {} }),
  notifications: {
    [incoming.update]({ sessions, report }, params) {
      const notification = parseSessionNotification(params);
      if (notification === undefined) return report('session/update without a session or an update', true);
      sessions.receive(notification.sessionId, notification.update);
    },
  },
};
