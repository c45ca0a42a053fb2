// Keys through a work queue: add, take, done. Reports the CPU of each round, with and without metrics.
import { Registry } from "@csi-sidecars/base/prometheus";
import { WorkQueue, workQueueMetrics } from "@csi-sidecars/kube";
import { report } from "../../shared/report.ts";

interface Settings {
  readonly rounds: number;
  readonly keys: number;
}

function main({ rounds, keys }: Settings): void {
  const names = Array.from({ length: keys }, (_, index) => `team-${index % 50}/claim-${index}`);
  const queues = {
    plain: new WorkQueue(),
    measured: new WorkQueue({ metrics: workQueueMetrics(new Registry()).forQueue("bench") }),
  };
  for (let round = 0; round < rounds; round++) {
    for (const [kind, queue] of Object.entries(queues)) {
      const cpu = process.cpuUsage();
      for (const name of names) queue.add(name);
      for (let key = queue.take(); key !== undefined; key = queue.take()) queue.done(key);
      report({ phase: "queue", kind, keys, cpu: process.cpuUsage(cpu) });
    }
  }
  report({ phase: "done" });
}

main(JSON.parse(process.argv[2] ?? "{}"));
