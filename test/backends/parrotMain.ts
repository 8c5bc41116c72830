/** The command line as it is, with an agent of a protocol that nobody has: nothing of it knows of that. */
import './addParrot.js';
import '../../src/cli/main.js';
