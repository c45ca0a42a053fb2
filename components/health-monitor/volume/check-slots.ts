/** Into how many slots an interval is divided: a timer for each, instead of one for each volume. */
export const slotCount = 30;

/** How long a slot is. Not shorter than a timer can be: an interval that is next to nothing must leave time for everything else. */
export function slotMsOf(intervalMs: number): number {
  return Math.max(1, intervalMs / slotCount);
}

/** The slot of the interval in which a volume is checked, by its uid: always the same, and evenly spread. */
export function slotOf(uid: string): string {
  let hash = 0;
  for (let i = 0; i < uid.length; i++) hash = (Math.imul(hash, 31) + uid.charCodeAt(i)) >>> 0;
  return String(hash % slotCount);
}
