// What an idle program consists of: informers filled from the API server, a lease renewed, a driver connected.
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

/** The informer of each kind, with the indexes that components use to get from one kind to another. */
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
  /** Milliseconds between `idle` and the start of the informers, so that memory can be read; 0 starts at once. */
  readonly pauseMs: number;
}

async function main({ kinds, kubeconfig, driver, pauseMs }: Settings): Promise<void> {
  const metrics = clientMetrics(new Registry());
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench", version: "v0.0.0" }) });
  const shared = { transport: reportingFirst(transport), clock: systemClock, log: silentLogger, metrics, qps: -1, burst: 0 };
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

/** Reports when the first request is sent. */
function reportingFirst(transport: Transport): Transport {
  let reported = false;
  return {
    request(request) {
      if (!reported) report({ phase: "first request", at: performance.timeOrigin + performance.now() });
      reported = true;
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}

void main(JSON.parse(process.argv[2] ?? "{}"));
