// Ends the driver's process with SIGKILL at random moments among thousands of calls, and compares each new start with what was answered.
// By hand: `bun packages/hostpath/testing/torture.ts --seconds 120 --seed 7`; as root, with mounts that nobody else sees:
// `unshare -m bun packages/hostpath/testing/torture.ts --mount-mode bind`.
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "@csi-sidecars/base/testing";
import { Channel, Code, type DriverClient, driverClient, GrpcError } from "@csi-sidecars/csi";
import { chooseOperation, type Slot } from "./torture-model.ts";
import { readSeen, type Seen } from "./torture-view.ts";

const program = join(import.meta.dirname, "..", "hostpathplugin.ts");
const nodeId = "node-1";
const patient = { waitForReady: true, timeoutMs: 20_000 };

/** What a run amounted to. */
export interface TortureReport {
  readonly kills: number;
  readonly answered: number;
  /** Calls that were cut off: done or not, never half. */
  readonly cutOff: number;
  /** Of those, how many turned out to be done. */
  readonly doneUnseen: number;
}

/** How long, with which random choices, and how volumes are published. */
export interface TortureOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly mountMode?: string;
  readonly workers?: number;
}

/** Runs for a time; throws as soon as a start contradicts what was answered before it. */
export async function torture({ seconds, seed, mountMode = "symlink", workers = 12 }: TortureOptions): Promise<TortureReport> {
  const folder = await mkdtemp(join(tmpdir(), "hostpath-torture-"));
  const at = (name: string) => join(folder, name);
  const random = seededRandom(seed);
  const slots = Array.from({ length: workers }, (_, index) => newSlot(`v${index}`, at));
  const report = { kills: 0, answered: 0, cutOff: 0, doneUnseen: 0 };
  const flags = [`--endpoint=${at("csi.sock")}`, `--statedir=${at("state")}`, `--control-endpoint=${at("control.sock")}`];
  const features = [`--nodeid=${nodeId}`, `--mount-mode=${mountMode}`, "--enable-attach", "--enable-controller-modify-volume"];
  const end = performance.now() + seconds * 1000;
  const log = openSync(at("log"), "a");
  try {
    for (let last = false; !last; ) {
      last = performance.now() > end && report.kills >= 3;
      const child = Bun.spawn([process.execPath, program, ...flags, ...features], { stderr: log });
      const channel = new Channel({ target: { kind: "unix", path: at("csi.sock") } });
      const client = driverClient(channel);
      try {
        await client.identity.probe({}, patient);
        const seen = await readSeen(at("control.sock"));
        await checkDisk(at("state"), seen);
        for (const slot of slots) report.doneUnseen += await settle(slot, seen, at("state"));
        if (seen.volumes.size !== slots.filter(({ allowed }) => allowed[0]).length)
          throw new Error("there are volumes that nobody asked for");
        if (last) {
          for (const { volumeId, target: targetPath, allowed } of slots)
            if (allowed[0]?.published) await client.node.nodeUnpublishVolume({ volumeId, targetPath });
          break;
        }
        const killed = new Promise((resolve) => setTimeout(resolve, 20 + random() * 300)).then(() => child.kill("SIGKILL"));
        await Promise.all(slots.map((slot) => work(slot, client, at("state"), random, report)));
        await killed;
        report.kills++;
      } finally {
        channel.close();
        child.kill("SIGKILL");
        await child.exited;
      }
    }
  } catch (error) {
    // What is wrong can be looked at: the folder stays, with the driver's log.
    throw new Error(`seed ${seed}, after ${report.kills} kills and ${report.answered} answers; see ${folder}`, { cause: error });
  }
  closeSync(log);
  await rm(folder, { recursive: true, force: true });
  return report;
}

const newSlot = (name: string, at: (name: string) => string): Slot => ({
  ...{ name, stage: at(`stage-${name}`), target: at(`target-${name}`) },
  ...{ volumeId: "", snapshotId: "", groupId: "", marked: false, allowed: [undefined] },
});

/** Calls and calls until one is cut off. */
async function work(
  slot: Slot,
  client: DriverClient,
  stateDir: string,
  random: () => number,
  report: { answered: number; cutOff: number },
) {
  for (;;) {
    const { name, call, after } = chooseOperation(slot, nodeId, random);
    slot.allowed = [slot.allowed[0], after];
    try {
      await call(client);
    } catch (error) {
      if (!(error instanceof GrpcError && error.code === Code.Unavailable)) throw new Error(`${name} failed`, { cause: error });
      report.cutOff++;
      return;
    }
    report.answered++;
    slot.allowed = [after];
    if (!after) slot.marked = false;
    else if (!slot.marked) {
      await writeFile(join(stateDir, slot.volumeId, "data"), slot.name);
      slot.marked = true;
    }
  }
}

/** Holds what a new start knows against what was answered; says whether a call that was cut off was done. */
async function settle(slot: Slot, seen: Seen, stateDir: string): Promise<number> {
  const { name, allowed, target } = slot;
  const volume = seen.volumes.get(name);
  const facts = volume?.facts;
  const match = allowed.findIndex((candidate) => JSON.stringify(candidate) === JSON.stringify(facts));
  if (match < 0) throw new Error(`${name} is ${JSON.stringify(facts)}, which is none of ${JSON.stringify(allowed)}`);
  // An id that was answered stays: allowed[0] is what was true before the call that was cut off.
  if (volume && allowed[0] && volume.id !== slot.volumeId) throw new Error(`${name} was ${slot.volumeId} and is ${volume.id}`);
  if (volume && slot.marked && (await readFile(join(stateDir, volume.id, "data"), "utf8")) !== name)
    throw new Error(`${name} lost its data`);
  if (!facts?.published && existsSync(target)) throw new Error(`${name} is not published, and ${target} exists`);
  Object.assign(slot, { volumeId: volume?.id ?? "", snapshotId: volume?.snapshotId ?? "", groupId: volume?.groupId ?? "" });
  slot.allowed = [facts];
  if (!volume) slot.marked = false;
  return match > 0 ? 1 : 0;
}

/** Each record has its data, and no data is without a record. */
async function checkDisk(stateDir: string, { files }: Seen): Promise<void> {
  const own = new Set(["state.json", "state.journal", ".pending", ".in-use"]);
  const entries = (await readdir(stateDir)).filter((entry) => !own.has(entry)).sort();
  if (entries.join() !== [...files].sort().join()) throw new Error(`on disk are ${entries}, and the state speaks of ${[...files].sort()}`);
  const pending = await readdir(join(stateDir, ".pending"));
  if (pending.length > 0) throw new Error(`${pending} waits for a place`);
}

if (import.meta.main) {
  const option = (initial: string) => ({ type: "string", default: initial }) as const;
  const { values } = parseArgs({ options: { seconds: option("60"), seed: option("1"), "mount-mode": option("symlink") } });
  const { seconds, seed, "mount-mode": mountMode } = values;
  console.log(await torture({ seconds: Number(seconds), seed: Number(seed), mountMode }));
}
