// Shakes hands, and never opens a session.
import { serve } from './wire.mjs';

serve({ 'session/new': () => new Promise(() => {}) });
