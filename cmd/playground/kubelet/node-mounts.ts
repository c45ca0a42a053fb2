import { mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { KeyedMutex } from "@csi-sidecars/controller";
import { Code, type DriverClient, GrpcError } from "@csi-sidecars/csi";
import { refKey } from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver/driver.ts";
import type { MountRecord, MountRecords } from "./mount-records.ts";
import type { KubeletPod, PodVolume } from "./pod-volumes.ts";

export interface NodeMountsOptions {
  readonly driver: DriverClient;
  readonly info: DriverInfo;
  readonly records: MountRecords;
}

/** How long a kubelet waits for a driver. */
export const callTimeoutMs = 120_000;

/** Makes the calls of a kubelet that mount and unmount volumes, for each volume one after the other. */
export class NodeMounts {
  readonly #options: NodeMountsOptions;
  readonly #volumes = new KeyedMutex();

  constructor(options: NodeMountsOptions) {
    this.#options = options;
  }

  /** Stages and publishes a volume. It is recorded before the first call, whose answer may be lost. */
  mount(pod: KubeletPod, volume: PodVolume, signal: AbortSignal): Promise<void> {
    return this.#volumes.run(volume.volumeId, async () => {
      const { records, info, driver } = this.#options;
      const { name: volumeName, volumeId, volumeContext, publishContext, volumeCapability, readonly, secrets, targetPath } = volume;
      const before = records.at(targetPath);
      if (before?.published && before.podUid === pod.metadata.uid) return;
      if (before && before.podUid !== pod.metadata.uid) await this.#unmount(before, { timeoutMs: callTimeoutMs, signal });
      const stagingTargetPath = info.stagesOnNodes ? volume.stagingTargetPath : "";
      const record = {
        ...{ pod: refKey(pod.metadata), podUid: pod.metadata.uid },
        ...{ volumeName, volumeId, stagingTargetPath, targetPath, published: false },
      };
      records.put(record);
      const options = { timeoutMs: callTimeoutMs, signal };
      const common = { volumeId, volumeContext, publishContext, volumeCapability, stagingTargetPath };
      if (stagingTargetPath !== "") {
        await named(`MountVolume.MountDevice failed for volume "${volumeName}"`, async () => {
          await mkdir(stagingTargetPath, { recursive: true });
          await driver.node.nodeStageVolume({ ...common, secrets: secrets.stage }, options);
        });
      }
      await named(`MountVolume.SetUp failed for volume "${volumeName}"`, async () => {
        await mkdir(dirname(targetPath), { recursive: true });
        await driver.node.nodePublishVolume({ ...common, targetPath, readonly, secrets: secrets.publish }, options);
      });
      records.put({ ...record, published: true });
    });
  }

  /** Unpublishes a volume, and unstages it after its last pod. */
  unmount(record: MountRecord, signal: AbortSignal, timeoutMs = callTimeoutMs): Promise<void> {
    return this.#volumes.run(record.volumeId, () => this.#unmount(record, { timeoutMs, signal }));
  }

  async #unmount(record: MountRecord, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void> {
    const { driver, records } = this.#options;
    const { volumeName, volumeId, stagingTargetPath, targetPath } = record;
    await named(`UnmountVolume.TearDown failed for volume "${volumeName}"`, () =>
      driver.node.nodeUnpublishVolume({ volumeId, targetPath }, options).catch(ignoreAbsence),
    );
    // A driver may leave the folders to the kubelet.
    await rmdir(targetPath).catch(() => {});
    const others = records.all.filter((other) => other.stagingTargetPath === stagingTargetPath && other.targetPath !== targetPath);
    if (stagingTargetPath !== "" && others.length === 0) {
      await named(`UnmountDevice failed for volume "${volumeName}"`, () =>
        driver.node.nodeUnstageVolume({ volumeId, stagingTargetPath }, options).catch(ignoreAbsence),
      );
      await rmdir(stagingTargetPath).catch(() => {});
    }
    await rmdir(dirname(targetPath)).catch(() => {});
    records.remove(record);
  }
}

/** Kubelet's words for what failed. */
async function named(failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${failure} : ${messageOf(error)}`, { cause: error });
  }
}

/** A volume that the driver does not know is not mounted. */
const ignoreAbsence = (error: unknown) => {
  if (!(error instanceof GrpcError) || error.code !== Code.NotFound) throw error;
};
