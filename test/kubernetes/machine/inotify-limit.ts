import { readFileSync, writeFileSync } from "node:fs";

const file = "/proc/sys/fs/inotify/max_user_instances";
/** Each container takes an instance or two of the user's, of which there are 128 by default. */
const enough = 8192;

/** Raises the machine's limit where it is too low, and returns what sets it back. */
export function raiseInotifyLimit(): () => void {
  const before = readFileSync(file, "utf8").trim();
  if (Number(before) >= enough) return () => {};
  writeFileSync(file, String(enough));
  return () => writeFileSync(file, before);
}
