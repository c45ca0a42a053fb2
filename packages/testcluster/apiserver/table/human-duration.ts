const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** How long ago, as kubectl writes ages: two units while they are small, one where the second no longer matters. */
export function humanDuration(ms: number): string {
  if (ms < -second) return "<invalid>";
  if (ms < 0) return "0s";
  if (ms < 2 * minute) return whole(ms, second, "s");
  if (ms < 10 * minute) return pair(ms, minute, "m", second, "s");
  if (ms < 3 * hour) return whole(ms, minute, "m");
  if (ms < 8 * hour) return pair(ms, hour, "h", minute, "m");
  if (ms < 2 * day) return whole(ms, hour, "h");
  if (ms < 8 * day) return pair(ms, day, "d", hour, "h");
  if (ms < 2 * year) return whole(ms, day, "d");
  if (ms < 8 * year) return pair(ms, year, "y", day, "d");
  return whole(ms, year, "y");
}

const whole = (ms: number, unit: number, name: string): string => `${Math.floor(ms / unit)}${name}`;

function pair(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((ms % unit) / smaller);
  return whole(ms, unit, name) + (rest === 0 ? "" : `${rest}${smallerName}`);
}
