/**
 * Shared by the programs that get a fault: FAULT strikes once, at the moment FAULT_AT. The folder has the records for the laboratory,
 * across processes: `pids`, `received` (prompts), `struck`.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';

export const fault = process.env.FAULT ?? '';

/** @param {string} moment */
export function isDue(moment) {
  if (moment !== process.env.FAULT_AT || existsSync('struck')) return false;
  writeFileSync('struck', moment);
  return true;
}

/** @param {string} prompt */
export const received = (prompt) => appendFileSync('received', `${prompt}\n`);
export const stopHere = () => process.kill(process.pid, 'SIGSTOP');
export const die = () => process.kill(process.pid, 'SIGKILL');
/** Invalid messages, and unknown ones. */
export const garbage = ['not a message', '{"type":"response","id":', '\u0000\u0001', '[]', '7', '{"hologram":true}'];
export const text = 'x'.repeat(65 * 1024 * 1024);
