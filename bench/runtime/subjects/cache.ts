// What the program does when it stands still: informers filled from the API server, a lease renewed, a driver connected.
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
  type Informers,
  LeaderElector,
  loadConfig,
  type Transport,
  userAgent,
} from "@csi-sidecars/kube";
import { report } from "../../shared/report.ts";
import { attachmentFields, claimFields, volumeFields } from "../fields.ts";

/** How each kind is read: with the indexes that components need to find their way between kinds. */
const readers = {
  volumes: (informers: Informers) => informers.forFields(volumeFields),
  claims(informers: Informers) {
    const view = informers.forFields(claimFields);
    view.addIndex("volume", ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []));
    return view;
  },
  attachments(informers: Informers) {
    const view = informers.forFields(attachmentFields);
    view.addIndex("volume", ({ spec }) => (spec?.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []));
    return view;
  },
};

interface Settings {
  readonly kinds: readonly (keyof typeof readers)[];
  readonly kubeconfig: string;
  readonly driver: string;
  /** Milliseconds between `idle` and the start of the informers, so that somebody can look; 0 starts at once. */
  readonly pauseMs: number;
}

async function main({ kinds, kubeconfig, driver, pauseMs }: Settings): Promise<void> {
  const metrics = clientMetrics(new Registry());
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench", version: "v0.0.0" }) });
  const shared = { transport: noticed(transport), clock: systemClock, log: silentLogger, metrics, qps: -1, burst: 0 };
  const client = createClient({ ...shared, name: "bench" });
  const stop = new AbortController();
  process.once("SIGTERM", () => process.exit(0));
  process.on("SIGUSR2", () => report({ phase: "usage", cpu: process.cpuUsage() }));
  await connectDriver({ address: driver });
  const factory = new InformerFactory({ client, clock: systemClock, log: silentLogger });
  const views = kinds.map((kind) => readers[kind](factory));
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
    objects: views.map((view) => view.list().length),
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
