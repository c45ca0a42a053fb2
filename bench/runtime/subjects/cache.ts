// What the program does when it stands still: three informers filled from the API server, a lease renewed, a driver connected.
// Reports as JSON lines: `idle` before the first request, `synced` when the caches hold everything, then `usage` at every SIGUSR2.
import { hostname } from "node:os";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { connectDriver } from "@csi-sidecars/csi";
import {
  clientMetrics,
  connect,
  createClient,
  InformerFactory,
  LeaderElector,
  loadConfig,
  type Transport,
  userAgent,
} from "@csi-sidecars/kube";
import { report } from "../../shared/report.ts";
import { attachmentFields, claimFields, volumeFields } from "../fields.ts";

interface Settings {
  readonly kubeconfig: string;
  readonly driver: string;
  /** Milliseconds between `idle` and the start of the informers, so that somebody can look; 0 starts at once. */
  readonly pauseMs: number;
}

async function main({ kubeconfig, driver, pauseMs }: Settings): Promise<void> {
  const metrics = clientMetrics(new Registry());
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench", version: "v0.0.0" }) });
  const shared = { transport: noticed(transport), clock: systemClock, log: silentLogger, metrics, qps: -1, burst: 0 };
  const client = createClient({ ...shared, name: "bench" });
  const stop = new AbortController();
  process.once("SIGTERM", () => process.exit(0));
  process.on("SIGUSR2", () => report({ phase: "usage", cpu: process.cpuUsage() }));
  await connectDriver({ address: driver });
  const factory = new InformerFactory({ client, clock: systemClock, log: silentLogger });
  const volumes = factory.of(volumeFields);
  const claims = factory.of(claimFields);
  const attachments = factory.of(attachmentFields);
  claims.addIndex("volume", (claim) => (claim.spec?.volumeName ? [claim.spec.volumeName] : []));
  attachments.addIndex("volume", (attachment) => {
    const name = attachment.spec?.source.persistentVolumeName;
    return name ? [name] : [];
  });
  if (pauseMs > 0) {
    report({ phase: "idle" });
    await systemClock.sleep(pauseMs);
  }
  const election = createClient({ ...shared, name: "election" });
  void new LeaderElector({ client: election, lease: { namespace: "default", name: "bench" }, identity: hostname() }).run(stop.signal);
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  factory.start(stop.signal);
  await factory.waitForSync();
  report({
    phase: "synced",
    seconds: (performance.now() - began) / 1000,
    cpu: process.cpuUsage(cpuBefore),
    objects: [volumes, claims, attachments].map((view) => view.list().length),
  });
}

/** Tells when the first request is sent. */
function noticed(transport: Transport): Transport {
  let told = false;
  return {
    request(request) {
      if (!told) report({ phase: "first request", at: performance.timeOrigin + performance.now() });
      told = true;
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}

void main(JSON.parse(process.argv[2] ?? "{}"));
