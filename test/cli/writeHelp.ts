/** `npm run options`: writes the texts of `acp-host --help` into docs/cli.md. */
import { writeHelpPage } from './helpPage.js';

writeHelpPage();
