// Speaks a version of the protocol that nobody has yet.
import { serve } from './wire.mjs';

serve({ initialize: () => ({ protocolVersion: 99 }) });
