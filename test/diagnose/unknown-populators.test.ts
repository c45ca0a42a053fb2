import { expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { PersistentVolumeClaim, StorageClass, VolumePopulator } from "@csi-sidecars/kube";
import { installDefinitions, startComponentWorld } from "@csi-sidecars/testcluster";
import { volumeDataSourceValidator } from "../../components/volume-data-source-validator/component.ts";
import { blocking, why } from "./testing/why.ts";

test("a claim that waits for a populator, from nobody knows to whose turn it is", async () => {
  await using world = await startComponentWorld();
  const { admin, cluster } = world;
  const ask = (summary: string) => why(cluster, "pvc guide", (answer) => answer.summary.includes(summary));
  const announce = (name: string, group: string, kind: string) =>
    admin.create(VolumePopulator, { metadata: { name }, sourceKind: { group, kind } });
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: "csi.example.com" });
  await admin.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "guide" },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
      dataSourceRef: { apiGroup: "library.io", kind: "Book", name: "src" },
    },
  });
  expect(await ask("volumepopulators.populator.storage.k8s.io is not served")).toMatchObject({ state: "waiting" });

  await installDefinitions(admin, populatorDefinitions);
  const unknown = "the data source of the claim is Book default/src of group library.io, and no VolumePopulator announces that kind";
  const before = await ask(unknown);
  expect(before.state).toBe("failed");
  expect(blocking(before)?.evidence.map(({ value }) => value)).toContain("no volume-data-source-validator has warned of it");

  await world.add(volumeDataSourceValidator, { flags: { warningDelay: 0 } });
  const warned = await why(cluster, "pvc guide", (answer) =>
    (blocking(answer)?.evidence ?? []).some(({ field }) => field === "event UnrecognizedDataSourceKind"),
  );
  expect(warned).toMatchObject({ state: "failed", summary: unknown });
  expect(blocking(warned)?.remedy).toContain("install the populator for that kind");

  await announce("near", "library.io", "book");
  expect(await ask("the closest is book.library.io, which differs in its letter case")).toMatchObject({ state: "failed" });
  await announce("books", "library.io", "Book");
  const found = await ask("the populator of VolumePopulator books has to fill the volume from Book default/src of group library.io");
  expect(found.state).toBe("waiting");
  expect(blocking(found)?.evidence).toContainEqual({ object: "VolumePopulator books", field: "sourceKind", value: "Book.library.io" });
});
