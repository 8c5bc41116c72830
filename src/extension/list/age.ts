/** Formats how long ago something was, as a short text. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Created once, because that takes longer than everything else for a row. */
let dateFormat: Intl.DateTimeFormat | undefined;

/**
 * Returns "now", "5 min", "3 h", "2 days", and a date after a month.
 * @param at milliseconds since the epoch
 */
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

/**
 * Returns the group of days of a list.
 * @param at milliseconds since the epoch
 */
export function dayGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  // Rounded, because a day may have 23 or 25 hours.
  const days = Math.round((midnight - new Date(at).setHours(0, 0, 0, 0)) / dayMs);
  if (days <= 1) return 'Yesterday';
  return days <= 7 ? 'Previous 7 Days' : days <= 30 ? 'Previous 30 Days' : 'Older';
}
