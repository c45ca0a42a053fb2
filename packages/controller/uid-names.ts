/** How much of an object's uid is in the name that the driver is told: -1 for the whole uid with its dashes, otherwise so many characters without dashes. */
export function uidPart(uid: string, length: number): string {
  return length === -1 ? uid : uid.replaceAll("-", "").slice(0, length);
}

/** Checks a flag that sets that length. */
export function uuidLengthProblem(length: number): string | undefined {
  return length === -1 || (length >= 1 && length <= 32) ? undefined : "must be -1 (the whole uid) or between 1 and 32";
}
