// Opens a session, and then does not answer the host's check whether it still responds.
import { serve } from './wire.mjs';

serve({ '_acphost/ping': () => new Promise(() => {}) });
