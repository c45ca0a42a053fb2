import { describe, test } from "bun:test";
import { Namespace, ReferenceGrant } from "@csi-sidecars/kube";
import { claim } from "../testing/manifests.ts";
import { startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { options, snapshot, snapshotGroup } from "./testing/snapshots.ts";

describe("a source in another namespace", () => {
  const elsewhere = { dataSourceRef: { apiGroup: snapshotGroup, kind: "VolumeSnapshot", name: "backup", namespace: "prod" } };
  const crossing: WorldOptions = {
    ...options,
    customKinds: ["snapshots", "grants"],
    gatesOn: ["CrossNamespaceVolumeDataSource"],
    role: "shipped",
  };

  const unadmitted = { ...claim("data", { ...elsewhere, volumeMode: "Filesystem" }), status: { phase: "Pending" } };

  // API servers drop the namespace of a dataSourceRef unless their own gate is on, hence a claim that was not admitted.
  test.skipIf(process.env.TESTCLUSTER === "real")("needs a grant", async () => {
    await using world = await startWorld(crossing);
    await world.create(Namespace, { metadata: { name: "prod" } });
    await snapshot(world, { namespace: "prod" });
    await world.createClass();
    world.cluster.embedded?.seed([{ apiVersion: "v1", kind: "PersistentVolumeClaim", ...unadmitted }]);
    await world.untilEvent("data", "accessing prod/backup of VolumeSnapshot dataSource from default/data isn't allowed");
    const from = [{ group: "", kind: "PersistentVolumeClaim", namespace: "default" }];
    await world.create(ReferenceGrant, {
      metadata: { name: "to-default", namespace: "prod" },
      spec: { from, to: [{ group: snapshotGroup, kind: "VolumeSnapshot" }] },
    });
    await world.bound("data");
  });
});
