// Opens a session and then answers nothing any more.
import { serve } from './wire.mjs';

serve({ '_acphost/ping': () => new Promise(() => {}) });
