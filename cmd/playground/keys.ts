import { type Client, type KubeObject, PersistentVolumeClaim, Pod, type Resource } from "@csi-sidecars/kube";
import { className } from "./cluster-objects.ts";
import type { Parts } from "./start-parts.ts";

/** What a key of the keyboard does in the live view. */
export interface KeyAction {
  readonly key: string;
  readonly help: string;
  act(parts: Parts): Promise<unknown>;
}

const namespace = "default";
const label = "playground";

/** For those without kubectl: a volume in use, its end, and both processes killed. */
export const keyActions: readonly KeyAction[] = [
  {
    key: "c",
    help: "claim and pod",
    async act({ admin }) {
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
    },
  },
  {
    key: "d",
    help: "delete all",
    async act({ admin }) {
      await deleteOurs(admin, Pod);
      await deleteOurs(admin, PersistentVolumeClaim);
    },
  },
  { key: "s", help: "kill sidecar", act: ({ sidecar }) => sidecar.process.kill() },
  { key: "v", help: "kill driver", act: ({ driver }) => driver.process.kill() },
];

async function deleteOurs<T extends KubeObject>(admin: Client, resource: Resource<T>): Promise<void> {
  const { items } = await admin.list(resource, { namespace, labelSelector: `app=${label}` });
  await Promise.all(items.map(({ metadata }) => admin.delete(resource, { namespace, name: metadata?.name ?? "" })));
}

const ctrlC = "\x03";

/** Listens to the keyboard until the signal; `stop` is called for q and Ctrl-C, `failed` when an action fails. */
export function listenToKeys(
  keyboard: NodeJS.ReadStream,
  parts: Parts,
  signal: AbortSignal,
  { stop, failed }: { readonly stop: () => void; readonly failed: (error: unknown) => void },
): void {
  keyboard.setRawMode(true).setEncoding("utf8");
  keyboard.on("data", (typed: string) => {
    for (const key of typed) {
      if (key === ctrlC || key === "q") return stop();
      keyActions
        .find((action) => action.key === key)
        ?.act(parts)
        .catch(failed);
    }
  });
  signal.addEventListener("abort", () => keyboard.setRawMode(false).pause(), { once: true });
}
