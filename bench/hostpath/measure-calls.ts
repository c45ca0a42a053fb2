import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import { inParallel } from "../shared/in-parallel.ts";
import { median, medianResult, type Result } from "../shared/result.ts";
import type { RunningDriver } from "./running-driver.ts";

const volumeCapabilities = [{ accessType: { $case: "mount" as const, mount: {} }, accessMode: { mode: Mode.SINGLE_NODE_WRITER } }];

/** A request as the provisioner makes it. */
const request = (name: string) => ({
  ...{ name, volumeCapabilities, capacityRange: { requiredBytes: 1n << 30n } },
  parameters: {
    "csi.storage.k8s.io/pv/name": name,
    "csi.storage.k8s.io/pvc/name": `data-${name}`,
    "csi.storage.k8s.io/pvc/namespace": "team-1",
  },
});

/** A call to repeat. */
export interface Calls {
  readonly what: string;
  /** How many volumes exist already, where that is compared. */
  readonly present?: string;
  readonly count: number;
  readonly inFlight: number;
  call(index: number): Promise<unknown>;
}

/** Calls per second, the driver's CPU per call, and the time one call takes. */
export async function measureCalls(driver: RunningDriver, { what, present, count, inFlight, call }: Calls): Promise<Result[]> {
  const times: number[] = [];
  const [began, cpuBefore] = [performance.now(), driver.cpuSeconds];
  await inParallel(count, inFlight, async (index) => {
    const start = performance.now();
    await call(index);
    times.push(performance.now() - start);
  });
  const seconds = (performance.now() - began) / 1000;
  const name = `${what} ${count.toLocaleString("en-US")}${present ? ` at ${present}` : ""}, ${inFlight} in flight`;
  return [
    { what: `${name}: calls`, value: count / seconds, unit: "/s" },
    { what: `${name}: CPU per call`, value: ((driver.cpuSeconds - cpuBefore) * 1000) / count, unit: "ms" },
    { what: `${name}: median time`, value: median(times), unit: "ms" },
    { what: `${name}: longest`, value: Math.max(...times), unit: "ms" },
  ];
}

/** Creates volumes and remembers their ids. */
export const creation =
  ({ client }: RunningDriver, ids: string[], prefix: string) =>
  async (index: number) => {
    const { volume } = await client.controller.createVolume(request(`${prefix}-${index}`));
    ids.push(volume?.volumeId ?? "");
  };

/** Deletes the last of the volumes that were made. */
export const deletion =
  ({ client }: RunningDriver, ids: string[]) =>
  async () => {
    await client.controller.deleteVolume({ volumeId: ids.pop() ?? "" });
  };

/** Takes a snapshot of one volume after the other. */
export const snapshotting =
  ({ client }: RunningDriver, ids: readonly string[]) =>
  async (index: number) => {
    await client.controller.createSnapshot({ name: `snapshot-${index}`, sourceVolumeId: ids[index % ids.length] ?? "" });
  };

const rounds = 5;

type Page = { readonly entries: readonly unknown[]; readonly nextToken: string };

/** How long it takes to read a whole list page by page, and what it costs the driver. */
export async function measureList(
  driver: RunningDriver,
  what: "ListVolumes" | "ListSnapshots",
  expected: number,
  pageSize: number,
): Promise<Result[]> {
  const { controller } = driver.client;
  const page = (startingToken: string): Promise<Page> =>
    what === "ListVolumes"
      ? controller.listVolumes({ maxEntries: pageSize, startingToken })
      : controller.listSnapshots({ maxEntries: pageSize, startingToken });
  const times: number[] = [];
  const cpuBefore = driver.cpuSeconds;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    let [seen, token] = [0, ""];
    do {
      const { entries, nextToken } = await page(token);
      seen += entries.length;
      token = nextToken;
    } while (token);
    if (seen !== expected) throw new Error(`${what} gave ${seen} entries instead of ${expected}`);
    times.push(performance.now() - began);
  }
  const name = `${what}, all ${expected.toLocaleString("en-US")}, ${pageSize === 0 ? "one page" : `pages of ${pageSize}`}`;
  return [
    medianResult(`${name}: time`, "ms", times),
    { what: `${name}: CPU`, value: ((driver.cpuSeconds - cpuBefore) * 1000) / rounds, unit: "ms" },
  ];
}
