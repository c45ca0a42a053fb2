import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import { medianResult, type Result } from "../shared/result.ts";
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
