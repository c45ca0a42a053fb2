import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import { inParallel } from "../shared/in-parallel.ts";
import { median, type Result } from "../shared/result.ts";
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

/** Makes a call again and again. */
export interface Calls {
  readonly what: string;
  /** How much is there already, where that is to be compared. */
  readonly present?: string;
  readonly count: number;
  readonly inFlight: number;
  call(index: number): Promise<unknown>;
}

/** What calls cost: how many a second, the driver's CPU for each, how long one takes. */
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

/** Cuts a snapshot of one volume after the other. */
export const snapshotting =
  ({ client }: RunningDriver, ids: readonly string[]) =>
  async (index: number) => {
    await client.controller.createSnapshot({ name: `snapshot-${index}`, sourceVolumeId: ids[index % ids.length] ?? "" });
  };
