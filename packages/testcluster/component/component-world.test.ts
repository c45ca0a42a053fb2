import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  type ComponentContext,
  component,
  type DriverNeed,
  kubeApiFlags,
  type Running,
  retryFlags,
  sidecarFlagNames,
} from "@csi-sidecars/host";
import { fields, involved, mergePatch, type ObjectRef, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { fastFlags, startComponentWorld } from "../index.ts";

const flags = { ...kubeApiFlags, ...retryFlags };
const snapshotClasses = { apiGroups: [VolumeSnapshotClass.group], resources: [VolumeSnapshotClass.plural] };
const classFields = fields(VolumeSnapshotClass, { driver: true });

/** A component that annotates each new snapshot class with its name, and tells so in an event. */
function annotator(name: string, driver: DriverNeed, verbs = ["list", "watch", "patch"]) {
  const annotate = async ({ kube, events }: ComponentContext<typeof flags>, ref: ObjectRef) => {
    const object = await kube.patch(VolumeSnapshotClass, ref, mergePatch({ metadata: { annotations: { [name]: "seen" } } }));
    events(name).event(involved(VolumeSnapshotClass, object), "Normal", "Seen", `by ${name}`);
  };
  return component({
    name,
    standalone: `csi-${name}`,
    onByDefault: true,
    ...{ flags, driver },
    processFlags: sidecarFlagNames,
    leadership: "required",
    kube: true,
    legacyLease: () => name,
    rbac: () => ({
      cluster: [
        { ...snapshotClasses, verbs },
        { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      ],
      namespaced: [],
    }),
    async start(context): Promise<Running> {
      const { informers, signal, log } = context;
      const cache = informers.forFields(classFields);
      cache.addHandler({
        onAdd: ({ metadata: { name } }) => void annotate(context, { name }).catch((error) => log.error(error, "Cannot annotate")),
      });
      await cache.waitForSync(signal);
      return { done: new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })) };
    },
  });
}

const snapshotClass = (name: string) => ({ metadata: { name }, driver: "driver.example.com", deletionPolicy: "Delete" as const });
const patched = (name: string) => `patch volumesnapshotclasses ${name}`;

test("components with and without a driver work side by side, each as a user of its own", async () => {
  await using world = await startComponentWorld({ definitions: snapshotDefinitions });
  const sidecar = await world.add(annotator("sidecar", "ready"), { flags: fastFlags });
  const controller = await world.add(annotator("controller", "none", ["list", "watch"]), { flags: fastFlags });
  await world.create(VolumeSnapshotClass, snapshotClass("daily"));
  await world.untilEvent({ kind: "VolumeSnapshotClass", name: "daily" }, "Normal Seen: by sidecar");
  await world.untilTrue(async () => (await controller.refused()).length > 0);
  expect(await controller.refused()).toEqual([`403 ${patched("daily")}`]);
  expect([await sidecar.requests(), await sidecar.refused()]).toEqual([[patched("daily")], []]);
  await controller.stop();
  await controller.grant([{ ...snapshotClasses, verbs: ["patch"] }]);
  await controller.run();
  await world.until(VolumeSnapshotClass, { name: "daily" }, ({ metadata }) => metadata?.annotations?.controller);
  expect(await world.events({ kind: "Pod", name: "daily" })).toEqual([]);
});

test("requests of one component are disturbed, and its watches are held", async () => {
  await using world = await startComponentWorld({ definitions: snapshotDefinitions });
  const [held, killed] = [
    await world.add(annotator("held", "none"), { flags: fastFlags }),
    await world.add(annotator("killed", "none"), { flags: fastFlags }),
  ];
  const release = held.holdWatch(VolumeSnapshotClass);
  killed.disturb({ resource: VolumeSnapshotClass, how: "dies after" });
  await world.create(VolumeSnapshotClass, snapshotClass("daily"));
  await world.untilTrue(() => killed.dead);
  await world.until(VolumeSnapshotClass, { name: "daily" }, ({ metadata }) => metadata?.annotations?.killed);
  expect([held.dead, await held.requests()]).toEqual([false, []]);
  release();
  await world.until(VolumeSnapshotClass, { name: "daily" }, ({ metadata }) => metadata?.annotations?.held);
});
