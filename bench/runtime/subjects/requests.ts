// GETs of one volume through three layers: the connections alone, our transport, our client with metrics. Reports CPU and time per request.
import { readFileSync } from "node:fs";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { clientMetrics, connect, createClient, loadConfig, PersistentVolume, userAgent } from "@csi-sidecars/kube";
import { parse } from "yaml";
import { openBunPool } from "../../../packages/kube/transport/bun-transport.ts";
import { inParallel } from "../../shared/in-parallel.ts";
import { report } from "../../shared/report.ts";

interface Settings {
  readonly kubeconfig: string;
  readonly volume: string;
  readonly rounds: number;
  readonly requests: number;
}

async function main({ kubeconfig, volume, rounds, requests }: Settings): Promise<void> {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8"));
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  const path = `/api/v1/persistentvolumes/${volume}`;
  const headers = { accept: "application/json", authorization: `Bearer ${users[0].user.token}` };
  const pool = openBunPool({ clock: systemClock, server, tls: { ca: atob(authority), insecure: false } });
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench", version: "v0.0.0" }) });
  const metrics = clientMetrics(new Registry());
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "bench", metrics, qps: -1, burst: 0 });
  const endless = new AbortController();
  const layers: Readonly<Record<string, () => Promise<unknown>>> = {
    connections: async () => JSON.parse(await (await pool.send({ method: "GET", path, headers, signal: endless.signal })).text()),
    transport: async () => JSON.parse(await (await transport.request({ method: "GET", path, timeoutMs: 60_000 })).text()),
    client: () => client.get(PersistentVolume, { name: volume }),
  };
  for (const request of Object.values(layers)) await inParallel(500, 50, request);
  for (let round = 0; round < rounds; round++) {
    for (const inFlight of [1, 50]) {
      for (const [layer, request] of Object.entries(layers)) {
        Bun.gc(true);
        const cpu = process.cpuUsage();
        const began = performance.now();
        await inParallel(requests, inFlight, request);
        report({ phase: "requests", layer, inFlight, requests, seconds: (performance.now() - began) / 1000, cpu: process.cpuUsage(cpu) });
      }
    }
  }
  report({ phase: "done" });
}

void main(JSON.parse(process.argv[2] ?? "{}"));
