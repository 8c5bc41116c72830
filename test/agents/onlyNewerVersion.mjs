// Reports a protocol version that does not exist yet.
import { serve } from './wire.mjs';

serve({ initialize: () => ({ protocolVersion: 99 }) });
