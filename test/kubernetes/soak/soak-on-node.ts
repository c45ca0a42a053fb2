// Runs in the node's namespaces, started by main.ts: volumes come and go while programs are killed.
import { mkdirSync, writeFileSync } from "node:fs";
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
import { plotOf } from "./plot.ts";
import { soakNamespace } from "./pods.ts";
import { describeSample, Recorder } from "./recorder.ts";
import type { Sample } from "./sample.ts";
import { findings } from "./verdict.ts";
import { liveOnce, type SoakCluster } from "./volume-lives.ts";

const [, , settings = "", work = ""] = process.argv;
const { hours, parallel, seed, out } = JSON.parse(settings) as SoakOptions;
const durationMs = hours * 3_600_000;
const driver = "hostpath.csi.k8s.io";
/** The name of both classes. */
const className = "soak";

async function main(): Promise<number> {
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
  const recorder = new Recorder();
  const end = new AbortController();
  const deadline = performance.now() + durationMs;
  const { restartApiServer } = node;
  const report = (label: string) => recorder.killed(label);
  const kill = (pid: number) => void process.kill(pid, "SIGKILL");
  const disturbing = disturb({ processes: nodeProcesses, kill, restartApiServer, random, report, signal: end.signal });
  const sampling = sampleUntil(end.signal, () => recorder.sample(client, node.kubectl("get", "--raw=/metrics"), nodeProcesses()));
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

  await settle(client);
  const record = recorder.record(await leftOver(client));
  const against = findings(record);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "record.json"), `${JSON.stringify({ hours, parallel, seed, ...record }, undefined, 2)}\n`);
  writeFileSync(join(out, "plot.svg"), plotOf(record.samples));
  console.log(`lives: ${JSON.stringify(record.lives)}; kills: ${JSON.stringify(record.kills)}`);
  console.log(against.length === 0 ? "verdict: nothing lost, nothing leaked, no growth" : ["verdict: failed", ...against].join("\n  "));
  return against.length === 0 ? 0 : 1;
}

/** Samples at least every minute, and prints every tenth sample. */
async function sampleUntil(signal: AbortSignal, sample: () => Promise<Sample>): Promise<void> {
  const pauseMs = Math.min(60_000, Math.max(5_000, durationMs / 120));
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

/** Waits until what was deleted is gone, for as long as a sidecar that was killed last may take. */
async function settle(client: SoakCluster["client"]): Promise<void> {
  const limit = performance.now() + 5 * 60_000;
  while (performance.now() < limit && (await insist(() => leftOver(client))).length > 0) await sleep(2000);
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`soak: ${messageOf(error)}`);
    process.exit(1);
  },
);
