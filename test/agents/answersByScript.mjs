// For each request, writes the next chunk of its script, a JSON array of strings (argument), in which `$ID` is the id of the request.
// A chunk that begins with "EXIT" ends the process after the rest is written. "CLOSE" closes stdout, and the process keeps running.
import { readLines } from './lines.mjs';
const chunks = JSON.parse(process.argv[2]);
readLines(process.stdin, (line) => {
  const message = JSON.parse(line);
  process.stderr.write(`${line}\n`);
  if (message.method === undefined) return;
  const chunk = (chunks.shift() ?? '').replaceAll('$ID', JSON.stringify(message.id));
  if (chunk.startsWith('EXIT')) process.stdout.write(chunk.slice(4), () => process.exit(0));
  else if (chunk.startsWith('CLOSE')) process.stdout.end(chunk.slice(5));
  else process.stdout.write(chunk);
});
process.stdin.on('end', () => process.exit(0));
