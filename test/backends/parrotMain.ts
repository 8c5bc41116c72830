/** Starts the unchanged command line with an agent of a protocol that it does not know. */
import './addParrot.js';
import '../../src/cli/main.js';
