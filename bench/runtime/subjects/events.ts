// An informer that is fed watch lines through a pipe by a process of its own. Reports CPU and time of the changes after the list.
import { spawn } from "node:child_process";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { createClient, InformerFactory, type Transport } from "@csi-sidecars/kube";
import { report } from "../../shared/report.ts";
import { volumeFields } from "../fields.ts";

interface Settings {
  readonly writer: readonly string[];
  readonly events: number;
}

async function main({ writer, events }: Settings): Promise<void> {
  const [program = "", ...args] = writer;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const transport: Transport = {
    request: async () => ({ status: 200, header: () => undefined, text: async () => "", chunks: () => child.stdout }),
    close: () => child.kill(),
  };
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "bench", qps: -1, burst: 0 });
  const factory = new InformerFactory({ client, clock: systemClock, log: silentLogger });
  let seen = 0;
  let began = 0;
  let cpu: NodeJS.CpuUsage | undefined;
  factory.forFields(volumeFields).addHandler({
    onUpdate() {
      if (seen === 0) {
        began = performance.now();
        cpu = process.cpuUsage();
      }
      if (++seen < events) return;
      report({ phase: "events", events, seconds: (performance.now() - began) / 1000, cpu: process.cpuUsage(cpu) });
      child.kill();
      process.exit(0);
    },
  });
  factory.start(new AbortController().signal);
}

void main(JSON.parse(process.argv[2] ?? "{}"));
