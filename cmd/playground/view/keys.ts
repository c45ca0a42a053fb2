import { type Client, PersistentVolumeClaim, Pod } from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/delete-all.ts";
import { className } from "../cluster/install-driver.ts";
import type { Parts } from "../start-parts.ts";

/** What a key of the keyboard does in the live view. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  act(): Promise<unknown>;
}

const namespace = "default";
const label = "playground";

/** For those without kubectl: a volume in use, its end, and the processes killed that are ours. */
export function keyActions({ admin, sidecar, driver }: Parts): readonly KeyAction[] {
  const { hostpath, facts } = driver;
  const volumes: readonly KeyAction[] = [
    { key: "c", help: "claim and pod", act: () => createBoth(admin) },
    { key: "d", help: "delete all", act: () => deleteBoth(admin) },
  ];
  return [
    ...(facts.provisions ? volumes : []),
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

/** Shows the full introduction where there is room for the brief one alone, and hides it again. */
export const moreKey = "h";

const ctrlC = "\x03";

export interface KeyListener {
  readonly actions: readonly KeyAction[];
  /** For q and Ctrl-C. */
  readonly stop: () => void;
  /** When an action fails. */
  readonly failed: (error: unknown) => void;
}

/** Listens to the keyboard until the signal. */
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
