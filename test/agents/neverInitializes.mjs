// Starts, says so on stderr, and never answers.
import { serve } from './wire.mjs';

process.stderr.write('started\n');
serve({ initialize: () => new Promise(() => {}) });
