/** Into how many slots an interval is divided: a timer for each, instead of one for each volume. */
export const slotCount = 30;

/** The slot of the interval in which a volume is checked, by its uid: always the same, and evenly spread. */
export function slotOf(uid: string): string {
  let hash = 0;
  for (let i = 0; i < uid.length; i++) hash = (Math.imul(hash, 31) + uid.charCodeAt(i)) >>> 0;
  return String(hash % slotCount);
}
