import { bytesOf, formatBytes } from "@csi-sidecars/base";
import { type Client, mergePatch, PersistentVolumeClaim, Pod, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { deleteAll } from "../cluster/cluster.ts";
import { type attributesClasses, className } from "../cluster/install-driver.ts";
import type { Playground } from "../playground.ts";
import { UserError } from "../user-error.ts";

/** What a key of the keyboard does in the live view. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  act(): Promise<unknown>;
}

const namespace = "default";
const label = "playground";

/** What to try without kubectl: create, change and delete a claim and its pod, kill the processes that are ours. */
export function keyActions({ admin, sidecar, driver }: Playground): readonly KeyAction[] {
  const { hostpath, info } = driver;
  const volumes: readonly KeyAction[] = [
    { key: "c", help: "claim and pod", act: () => createBoth(admin) },
    ...(info.expands ? [{ key: "g", help: "grow claim", act: () => changeNewest(admin, grown) }] : []),
    ...(hostpath ? [{ key: "m", help: "modify claim", act: () => changeNewest(admin, modified) }] : []),
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

/** Changes the spec of the claim that was created last. */
async function changeNewest(admin: Client, change: (claim: V1PersistentVolumeClaim) => object): Promise<void> {
  const { items } = await admin.list(PersistentVolumeClaim, { namespace });
  const created = ({ metadata }: V1PersistentVolumeClaim) => Date.parse(metadata?.creationTimestamp ?? "");
  const bound = items.filter(({ metadata, status }) => status?.phase === "Bound" && !metadata?.deletionTimestamp);
  const newest = bound.sort((a, b) => created(b) - created(a))[0];
  if (!newest) throw new UserError("there is no bound claim to change; c creates one");
  await admin.patch(PersistentVolumeClaim, { namespace, name: newest.metadata?.name ?? "" }, mergePatch({ spec: change(newest) }));
}

const gibibyte = 1024n ** 3n;

const grown = ({ spec }: V1PersistentVolumeClaim) => ({
  resources: { requests: { storage: formatBytes(bytesOf(spec?.resources?.requests?.storage) + gibibyte) } },
});

const modified = ({ spec }: V1PersistentVolumeClaim): { readonly volumeAttributesClassName: keyof typeof attributesClasses } => ({
  volumeAttributesClassName: spec?.volumeAttributesClassName === "gold" ? "silver" : "gold",
});

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
