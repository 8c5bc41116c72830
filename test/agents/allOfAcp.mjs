/**
 * What an agent with all of ACP answers, for two connections: `speaksAllOfAcp` (the SDK's) and `speaksPastTheSdk` (by hand).
 * ALL_OF_ACP: JSON `{capabilities, authMethods, modes, configOptions, refuses}`. A prompt that is a JSON list is played: each step is a
 * request or a notification to the host. `"$key"` is what an earlier step got as `key`. Any other prompt is a turn until it is canceled.
 */
const told = JSON.parse(process.env.ALL_OF_ACP ?? '{}');
const refuses = new Set(told.refuses ?? []);
const calls = new Map();
const newId = () => `s${(calls.get('session/new') ?? 0) + (calls.get('session/fork') ?? 0)}`;
const offer = {
  ...(told.modes && { modes: { currentModeId: 'ask', availableModes: ['ask', 'free'].map((id) => ({ id, name: id })) } }),
  ...(told.configOptions && { configOptions: [option('low')] }),
};

function option(currentValue) {
  const options = ['low', 'high'].map((value) => ({ value, name: value }));
  return { type: 'select', id: 'depth', name: 'Depth', currentValue, options };
}

const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'all-of-acp', version: '1.0.0' },
    agentCapabilities: told.capabilities ?? {},
    authMethods: told.authMethods ? ['in', 'slow'].map((id) => ({ id, name: id })) : [],
  }),
  authenticate: ({ methodId }, { aborted }) => (methodId === 'slow' ? aborted : {}),
  'session/new': () => ({ sessionId: newId(), ...offer }),
  'session/fork': () => ({ sessionId: newId(), ...offer }),
  'session/load': () => offer,
  'session/resume': () => offer,
  'session/list': () => ({ sessions: [{ sessionId: 'earlier', cwd: process.cwd(), title: 'Earlier', updatedAt: '2026-11-28T10:00:00Z' }] }),
  'session/set_config_option': ({ value }) => ({ configOptions: [option(value)] }),
  'session/prompt': async ({ sessionId, prompt }, { request, notify, cancelled }) => {
    const text = prompt.map((block) => block.text ?? '').join('');
    if (text === 'wait') return { stopReason: await cancelled };
    const known = { session: sessionId };
    for (const step of text.startsWith('[') ? JSON.parse(text) : []) {
      const params = JSON.parse(JSON.stringify(step.params), (_, value) =>
        typeof value === 'string' && value.startsWith('$') ? known[value.slice(1)] : value,
      );
      if (step.notify) await notify(step.notify, params);
      else Object.assign(known, await request(step.request, params).catch(() => ({})));
    }
    return { stopReason: 'end_turn' };
  },
};

/**
 * @param context `request` and `notify` reach the host; `cancelled` resolves when the turn is canceled, `aborted` rejects with the request
 * @throws `{code, message}` for a method that it refuses
 */
export async function answer(method, params, context) {
  const count = (calls.get(method) ?? 0) + 1;
  // The first session is needed to ask for the rest.
  const isNeeded = count === 1 && method === 'session/new';
  calls.set(method, count);
  if (refuses.has(method) && !isNeeded) throw { code: -32603, message: 'refused' };
  return answers[method]?.(params, context) ?? {};
}
