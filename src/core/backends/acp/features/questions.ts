/** Questions of the agent to its user, in the form in which agents ask them beside ACP. */
import { askUserMethods } from '../../../agents/knownAgents.js';
import { answerQuestion } from '../userRequests.js';
import type { AcpFeature } from './feature.js';

export const questions: AcpFeature = {
  get requests() {
    return Object.fromEntries(askUserMethods().map((method) => [method, answerQuestion]));
  },
};
