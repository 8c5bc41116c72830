// Reports its start on stderr, and never answers `initialize`.
import { serve } from './wire.mjs';

process.stderr.write('started\n');
serve({ initialize: () => new Promise(() => {}) });
