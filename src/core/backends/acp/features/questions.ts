/** Questions of the agent to its user, in the form in which agents ask them beside ACP. */
import { incoming } from '../schema/methods.js';
import { answerQuestion } from '../userRequests.js';
import type { AcpFeature } from './feature.js';

export const questions: AcpFeature = { requests: { [incoming.askUser]: answerQuestion } };
