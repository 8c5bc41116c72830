import { RequestError } from '@agentclientprotocol/sdk';
import { type HostError, type HostErrorCode, toHostError } from '../core/index.js';
import { errorMessage } from '../text/errorText.js';

/** The codes of JSON-RPC and ACP; every other failure is an internal error. */
const codes: Partial<Readonly<Record<HostErrorCode, number>>> = {
  auth_required: -32000,
  session_unknown: -32002,
  session_busy: -32600,
  usage: -32602,
  unsupported: -32602,
  cancelled: -32800,
};
const internalError = -32603;
/** An error of the agent: it could not read what this program sent, which is no fault of the client. */
const parseError = -32700;

/**
 * @param label the agent's name for users
 * @throws RequestError the answer to the client: a sentence, and as data the host's code and what the agent sent as its own
 */
export async function answeringErrors<T>(answer: () => Promise<T>, label: string): Promise<T> {
  try {
    return await answer();
  } catch (thrown) {
    if (thrown instanceof RequestError) throw thrown;
    const error = toHostError(thrown);
    const { reason } = error.params;
    const ours = { code: error.code, ...(reason === undefined ? {} : { reason }) };
    const { data } = error.params;
    // What the agent says about it counts.
    const told = typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...ours, ...data } : (data ?? ours);
    throw new RequestError(codes[error.code] ?? agentCodeOf(error) ?? internalError, errorMessage(error.toData(), label), told);
  }
}

/** The code with which an agent that speaks JSON-RPC refused the request. */
function agentCodeOf({ code, params }: HostError): number | undefined {
  if (code !== 'request_failed' && code !== 'provider_failed') return undefined;
  const { code: given } = params;
  return typeof given === 'number' && Number.isInteger(given) && given !== parseError ? given : undefined;
}
