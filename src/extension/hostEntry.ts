/** The second bundle, dist/host.cjs: everything that is not needed before the user does something. */
export { compose } from './compose.js';
