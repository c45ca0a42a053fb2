import { cpus, release, totalmem } from "node:os";

/** What the numbers belong to. */
export function machine(): Readonly<Record<string, string | number>> {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: first?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    bun: Bun.version,
  };
}
