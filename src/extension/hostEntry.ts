/** The second bundle, dist/host.cjs: everything that is not needed to wait for the user. */
export { compose } from './compose.js';
