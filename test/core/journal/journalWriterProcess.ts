/**
 * `journalWriterProcess.ts FOLDER NAME COUNT`: writes that many messages to the shared conversation of the folder, as another window would.
 */
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { createJournalStore } from '../../../src/core/journal/journalStore.js';
import { chunk, header } from './journalLab.js';

const [directory = '', name = '', count = ''] = process.argv.slice(2);
const store = createJournalStore({ directory, redactor: new Redactor(), log: nullLogger, limits: { perSessionBytes: 400_000 } });
const journal = store.open(header('shared'));
for (let index = 0; index < Number(count); index++) {
  journal.append([chunk(`${name} ${index}`.padEnd(600))]);
  await journal.flush();
}
await journal.close();
