/** ACP `session/request_permission`. */
import { incoming } from '../schema/methods.js';
import { answerPermission } from '../userRequests.js';
import type { AcpFeature } from './feature.js';

export const permission: AcpFeature = { requests: { [incoming.requestPermission]: answerPermission } };
