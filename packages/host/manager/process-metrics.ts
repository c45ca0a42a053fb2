import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "@csi-sidecars/base";
import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { processStartTime } from "@csi-sidecars/csi";

/**
 * Registers the `process_*` and `nodejs_*` families. They are read at a scrape only: prom-client's own set keeps a timer of
 * 10 ms.
 */
export function processMetrics(registry: Registry, clock: Clock): void {
  processStartTime(registry, clock);
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (value !== undefined) this.set(value);
      },
    });
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", () => process.memoryUsage.rss());
  gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", () => kilobytes("/proc/self/status", /^VmSize:\s+(\d+) kB/m));
  gauge("process_open_fds", "Number of open file descriptors.", () => attempt(() => readdirSync("/proc/self/fd").length - 1));
  gauge("process_max_fds", "Maximum number of open file descriptors.", () => numberIn("/proc/self/limits", /^Max open files\s+(\d+)/m));
  gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap in bytes.", () => process.memoryUsage().heapTotal);
  gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap in bytes.", () => process.memoryUsage().heapUsed);
  gauge(
    "nodejs_external_memory_bytes",
    "Memory bound to JavaScript objects, outside of the heap, in bytes.",
    () => process.memoryUsage().external,
  );
  new Gauge({
    name: "nodejs_version_info",
    help: "The runtime's version.",
    labelNames: ["version", "runtime"],
    registers,
  }).set({ version: process.versions.bun ?? process.version, runtime: process.versions.bun ? "bun" : "node" }, 1);
}

function kilobytes(file: string, pattern: RegExp): number | undefined {
  const value = numberIn(file, pattern);
  return value === undefined ? undefined : value * 1_024;
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  return attempt(() => {
    const digits = pattern.exec(readFileSync(file, "utf8"))?.[1];
    return digits === undefined ? undefined : Number(digits);
  });
}

/** Other systems than Linux have no such file. */
function attempt(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
