// Completes the handshake, but never opens a session.
import { serve } from './wire.mjs';

serve({ 'session/new': () => new Promise(() => {}) });
