import { waitForKinds } from "@csi-sidecars/controller";
import type { ComponentContext } from "@csi-sidecars/host";
import {
  fields,
  groupSnapshotAnnotation,
  type Informers,
  snapshotAnnotation,
  VolumeGroupSnapshotClass,
  VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import type { StoredClasses } from "./answer-admission.ts";
import type { ClassFacts } from "./decide-class.ts";

const snapshotClassFields = fields(VolumeSnapshotClass, { metadata: { annotations: [snapshotAnnotation.defaultClass] }, driver: true });
const groupClassFields = fields(VolumeGroupSnapshotClass, {
  metadata: { annotations: [groupSnapshotAnnotation.defaultClass] },
  driver: true,
});

type Watching = Pick<ComponentContext, "kube" | "clock" | "log" | "signal" | "informers">;

/** The VolumeSnapshotClasses of the cluster, from the time on when it has the kind and all of them are known. */
export function storedSnapshotClasses(context: Watching): StoredClasses {
  return whenServed(context, VolumeSnapshotClass, (informers) => {
    const view = informers.forFields(snapshotClassFields);
    return () => {
      return view.hasSynced()
        ? view.list().map(({ metadata, driver }) => facts(metadata.name, driver, metadata.annotations?.[snapshotAnnotation.defaultClass]))
        : undefined;
    };
  });
}

/** The same of VolumeGroupSnapshotClasses. */
export function storedGroupSnapshotClasses(context: Watching): StoredClasses {
  return whenServed(context, VolumeGroupSnapshotClass, (informers) => {
    const view = informers.forFields(groupClassFields);
    return () => {
      return view.hasSynced()
        ? view
            .list()
            .map(({ metadata, driver }) => facts(metadata.name, driver, metadata.annotations?.[groupSnapshotAnnotation.defaultClass]))
        : undefined;
    };
  });
}

function facts(name: string, driver: string | undefined, marker: string | undefined): ClassFacts {
  return { name, driver: driver ?? "", isDefault: marker === "true" };
}

function whenServed(
  context: Watching,
  kind: typeof VolumeSnapshotClass | typeof VolumeGroupSnapshotClass,
  open: (informers: Informers) => StoredClasses,
): StoredClasses {
  let stored: StoredClasses = () => undefined;
  void waitForKinds(context, [kind], context.signal).then((served) => {
    if (served) stored = open(context.informers);
  });
  return () => stored();
}
