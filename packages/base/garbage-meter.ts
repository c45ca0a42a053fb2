let read = 0;
const limit = Number(process.env.TRIAL_GC ?? 1) * 1e6;
export function bytesRead(bytes: number): void {
  read += bytes;
  if (read < limit) return;
  read = 0;
  if (typeof Bun !== "undefined") Bun.gc(false);
}
