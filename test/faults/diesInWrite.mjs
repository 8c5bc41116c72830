/** After SIGUSR2, the next write to a file is cut in half, and nothing of this process is left. */
import { writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

const handle = await open(process.execPath, 'r');
const FileHandle = Object.getPrototypeOf(handle);
await handle.close();
const { write } = FileHandle;
let isDue = false;
process.on('SIGUSR2', () => (isDue = true));
FileHandle.write = function (bytes, ...rest) {
  if (!isDue) return write.call(this, bytes, ...rest);
  writeSync(this.fd, bytes.subarray(0, Math.ceil(bytes.length / 2)));
  process.kill(process.pid, 'SIGKILL');
  // It is not delivered at once everywhere.
  return new Promise(() => {});
};
