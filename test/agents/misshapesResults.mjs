// Answers the method named in its first argument with the result in the second one, which has the wrong shape (JSON).
import { serve } from './wire.mjs';

const [method, result] = process.argv.slice(2);
serve({ 'session/prompt': () => ({ stopReason: 'end_turn' }), [method]: () => JSON.parse(result) });
