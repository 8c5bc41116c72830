// Answers the method named in its argument with a result of the wrong shape (second argument, JSON).
import { serve } from './wire.mjs';

const [method, result] = process.argv.slice(2);
serve({ 'session/prompt': () => ({ stopReason: 'end_turn' }), [method]: () => JSON.parse(result) });
