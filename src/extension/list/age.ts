/** How long ago something was, short. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Made once: it takes longer than all the rest of a row. */
let dateFormat: Intl.DateTimeFormat | undefined;

/** "now", "5 min", "3 h", "2 days", and a date from a month on. @param at milliseconds since the epoch */
export function ageText(at: number, now: number): string {
  const age = now - at;
  if (age < minuteMs) return 'now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  if (age < dayMs) return `${Math.floor(age / hourMs)} h`;
  const days = Math.floor(age / dayMs);
  if (days < 31) return days === 1 ? '1 day' : `${days} days`;
  dateFormat ??= new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
  return dateFormat.format(at);
}
