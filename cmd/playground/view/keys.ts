import { type Client, PersistentVolumeClaim, Pod } from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/cluster.ts";
import { className } from "../cluster/install-driver.ts";
import type { Playground } from "../playground.ts";

/** What a key of the keyboard does in the live view. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  act(): Promise<unknown>;
}

const namespace = "default";
const label = "playground";

/** What to try without kubectl: create and delete a claim and a pod, kill the processes that are ours. */
export function keyActions({ admin, sidecar, driver }: Playground): readonly KeyAction[] {
  const { hostpath, info } = driver;
  const volumes: readonly KeyAction[] = [
    { key: "c", help: "claim and pod", act: () => createBoth(admin) },
    { key: "d", help: "delete all", act: () => deleteBoth(admin) },
  ];
  return [
    ...(info.provisions ? volumes : []),
    { key: "s", help: "kill sidecar", act: () => sidecar.process.kill() },
    ...(hostpath ? [{ key: "v", help: "kill driver", act: () => hostpath.process.kill() }] : []),
  ];
}

async function createBoth(admin: Client): Promise<void> {
  const name = `data-${Date.now().toString(36)}`;
  const metadata = { name, namespace, labels: { app: label } };
  await admin.create(PersistentVolumeClaim, {
    metadata,
    spec: { storageClassName: className, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await admin.create(Pod, {
    metadata,
    spec: { containers: [{ name: "app", image: "app" }], volumes: [{ name: "data", persistentVolumeClaim: { claimName: name } }] },
  });
}

async function deleteBoth(admin: Client): Promise<void> {
  const ours = { namespace, labelSelector: `app=${label}` };
  await deleteAll(admin, Pod, ours);
  await deleteAll(admin, PersistentVolumeClaim, ours);
}

/** Shows and hides the full introduction where there is only room for the brief one. */
export const moreKey = "h";

const ctrlC = "\x03";

export interface KeyListener {
  readonly actions: readonly KeyAction[];
  /** For q and Ctrl-C. */
  readonly stop: () => void;
  /** When an action fails. */
  readonly failed: (error: unknown) => void;
}

/** Reads the keyboard until the signal. */
export function listenToKeys(keyboard: NodeJS.ReadStream, signal: AbortSignal, { actions, stop, failed }: KeyListener): void {
  keyboard.setRawMode(true).setEncoding("utf8");
  keyboard.on("data", (typed: string) => {
    for (const key of typed) {
      if (key === ctrlC || key === "q") return stop();
      actions
        .find((action) => action.key === key)
        ?.act()
        .catch(failed);
    }
  });
  signal.addEventListener("abort", () => keyboard.setRawMode(false).pause(), { once: true });
}
