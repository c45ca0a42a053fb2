import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, systemClock } from "@csi-sidecars/base";
import { type Client, mergePatch, Pod } from "@csi-sidecars/kube";
import type { NodeHooks } from "@csi-sidecars/testcluster";
import { firstNode } from "../cluster/nodes.ts";
import type { Driver } from "../driver/driver.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { mountPods } from "./mount-pods.ts";
import { MountRecords } from "./mount-records.ts";
import { NodeMounts } from "./node-mounts.ts";
import { removePodsFolder } from "./pods-folder.ts";
import { VolumeUsages } from "./volume-usage.ts";
import { whyNotMounted } from "./why-not-mounted.ts";

/** The stand-in kubelets' use of the driver's node service. Disposing of it unmounts what the user's own driver has mounted. */
export interface NodeService extends AsyncDisposable {
  /** Where the volumes of pods are mounted. */
  readonly folder: string;
  /** Why the volumes of pods on a node are not mounted; `undefined` where they are. */
  whyNotMounted(node: string): string | undefined;
  /** Whether a volume of the pod is mounted. */
  isMounted(podUid: string): boolean;
  /** How full its volumes are, as the user's own driver says; empty where that is unknown. Asks for it, and does not wait. */
  usageOf(podUid: string): string;
  hooks(admin: Client): Promise<NodeHooks>;
}

export interface NodeServicePlan {
  readonly driver: Driver;
  readonly folders: RunFolders;
  /** Of the command line: the node service is not called. */
  readonly controllerOnly: boolean;
  readonly warn: (line: string) => void;
}

const recordsFile = ".mounts.json";

/** How long each call of the user's driver may take at the end, when somebody waits for it. */
const lastCallsMs = 10_000;

export function openNodeService({ driver, folders, controllerOnly, warn }: NodeServicePlan): NodeService {
  const { client, info, hostpath } = driver;
  const because = (node: string) => whyNotMounted(driver, controllerOnly, node);
  // Not below the folder that is removed at the end, with all it contains: the user's driver may really mount.
  const isTemporary = !hostpath && folders.clusterFile === undefined;
  const folder = isTemporary ? mkdtempSync(join(tmpdir(), "csi-playground-pods-")) : folders.pods;
  const records = new MountRecords(join(folder, recordsFile));
  const mounts = new NodeMounts({ driver: client, info, records });

  const usages = new VolumeUsages({ driver: client, records, clock: systemClock });

  async function unmountAll(signal: AbortSignal): Promise<void> {
    for (const record of records.all) {
      await mounts.unmount(record, signal, lastCallsMs).catch((error: unknown) => {
        warn(`${messageOf(error)}; it may still be mounted at ${record.targetPath}`);
      });
    }
  }

  return {
    folder,
    whyNotMounted: because,
    isMounted: (podUid) => records.of(podUid).some(({ published }) => published),
    usageOf(podUid) {
      // That of the hostpath driver is of the whole disk below.
      if (hostpath || !info.reportsUsage) return "";
      void usages.refresh();
      const texts = records.of(podUid).map(({ targetPath }) => usages.at(targetPath));
      return texts.filter((text) => text !== "").join(", ");
    },
    async hooks(admin) {
      if (!hostpath) {
        await unmountAll(new AbortController().signal);
        await restartPods(admin);
      }
      return mountPods(admin, { driver: client, info, records, mounts, folder, because });
    },
    async [Symbol.asyncDispose]() {
      if (hostpath) return;
      await unmountAll(new AbortController().signal);
      if (!isTemporary || (await removePodsFolder(folder, recordsFile))) return;
      warn(`${folder} was not removed, because volumes may still be mounted there: unmount them first`);
    },
  };
}

/** The pods of a kept cluster start again, as after a restart of their node: nothing of them is mounted any more. */
async function restartPods(admin: Client): Promise<void> {
  const { items } = await admin.list(Pod);
  for (const { metadata, spec, status } of items) {
    if (spec?.nodeName !== firstNode || status?.phase !== "Running") continue;
    const pending = { status: { phase: "Pending", conditions: null, containerStatuses: null } };
    const { namespace, name = "" } = metadata ?? {};
    await admin.patch(Pod, { namespace, name }, mergePatch(pending), { subresource: "status" });
  }
}
