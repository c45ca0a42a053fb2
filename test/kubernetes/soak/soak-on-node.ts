// Runs in the node's namespaces, started by main.ts: volumes come and go while programs are killed.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@csi-sidecars/base";
import { seededRandom } from "@csi-sidecars/base/testing";
import { Namespace, StorageClass, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { insist } from "../../chaos/insist.ts";
import { clientOf } from "../../e2e/testing/playground.ts";
import { deploy } from "../deploy/deploy.ts";
import { prepareImages } from "../images/prepare-images.ts";
import { ourImages } from "../images/project-images.ts";
import { shortName } from "../images/suite-images.ts";
import { imageNames } from "../node/containerd.ts";
import { startNode } from "../node/start-node.ts";
import { disturb } from "./disturb.ts";
import { leftOver } from "./left-over.ts";
import { nodeProcesses } from "./node-processes.ts";
import type { SoakOptions } from "./options.ts";
import { removeOutcome, writeOutcome } from "./outcome.ts";
import { isQuiet } from "./phases.ts";
import { soakNamespace } from "./pods.ts";
import { describeSample, Recorder } from "./recorder.ts";
import type { Sample } from "./sample.ts";
import { describeVerdict, findings } from "./verdict.ts";
import { liveOnce, type SoakCluster } from "./volume-lives.ts";

const [, , settings = "", work = ""] = process.argv;
const options = JSON.parse(settings) as SoakOptions;
const { hours, parallel, seed, out } = options;
const durationMs = hours * 3_600_000;
const driver = "hostpath.csi.k8s.io";
/** The name of both classes. */
const className = "soak";

async function main(): Promise<number> {
  removeOutcome(out);
  const images = prepareImages({ projectImages: ourImages, peers: undefined, images: [] }, join(work, "images"));
  const node = await startNode({ work, logs: join(out, "logs"), images });
  await deploy(node.kubectl, join(import.meta.dirname, "../deploy/ours"));
  using cluster = clientOf(node.kubectl.kubeconfig);
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: soakNamespace } });
  await client.create(StorageClass, { metadata: { name: className }, provisioner: driver, allowVolumeExpansion: true });
  await client.create(VolumeSnapshotClass, { metadata: { name: className }, driver, deletionPolicy: "Delete" });
  const image = imageNames().find((name) => shortName(name) === "busybox") ?? "";
  console.log(`the node is ready; seed ${seed}`);

  const random = seededRandom(seed);
  const soaked: SoakCluster = { client, image, className, random };
  const recorder = new Recorder(hours);
  const end = new AbortController();
  const deadline = performance.now() + durationMs;
  const { restartApiServer } = node;
  const kill = (pid: number) => void process.kill(pid, "SIGKILL");
  const disturbing = disturb({
    ...{ processes: nodeProcesses, kill, restartApiServer, random, signal: end.signal },
    isQuiet: () => isQuiet(recorder.seconds, hours),
    report: (label) => recorder.killed(label),
    reportFailure: (what) => recorder.notDisturbed(what),
  });
  const sampling = sampleUntil(end.signal, async () => {
    try {
      return await recorder.sample(client, node.kubectl("get", "--raw=/metrics"), nodeProcesses());
    } finally {
      writeOutcome(options, recorder.record());
    }
  });
  const workers = Array.from({ length: parallel }, async (_, worker) => {
    for (let life = 1; performance.now() < deadline; life++) {
      const name = `v${worker}-${life}`;
      await liveOnce(soaked, name).then(
        (turn) => recorder.lived(turn),
        (error) => recorder.failed(`${name}: ${messageOf(error)}`),
      );
    }
  });
  await Promise.all(workers);
  end.abort();
  await Promise.all([disturbing, sampling]);

  const leaked = await settle(client).catch((error) => recorder.failed(`what is left over: ${messageOf(error)}`));
  const record = recorder.record(leaked ?? undefined);
  writeOutcome(options, record);
  console.log(describeVerdict(record));
  return findings(record).length === 0 ? 0 : 1;
}

/** Samples at least every minute, and prints every tenth sample. */
async function sampleUntil(signal: AbortSignal, sample: () => Promise<Sample>): Promise<void> {
  const pauseMs = Math.min(60_000, Math.max(5_000, durationMs / 240));
  for (let count = 0; !signal.aborted; count++) {
    try {
      const taken = await sample();
      if (count % 10 === 0) console.log(describeSample(taken));
    } catch (error) {
      console.log(`no sample: ${messageOf(error).split("\n", 1)[0]}`);
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** What is left over, once nothing is or after as long as a sidecar that was killed last may take. */
async function settle(client: SoakCluster["client"]): Promise<string[]> {
  const limit = performance.now() + 5 * 60_000;
  for (;;) {
    const found = await insist(() => leftOver(client));
    if (found.length === 0 || performance.now() > limit) return found;
    await sleep(2000);
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`soak: ${messageOf(error)}`);
    process.exit(1);
  },
);
