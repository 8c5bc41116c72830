/** Must be imported before any schema: zod's probe for `new Function` would count as a violation of the page's CSP. */
import * as z from 'zod/mini';

z.config({ jitless: true });
