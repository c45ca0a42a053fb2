import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import type { ObservedClaim, ObservedDataSource } from "../gather/observed.ts";
import { check, table } from "../testing/claim-cases.ts";
import { ago, bound, claim, driver, event, late, observedClaim } from "../testing/objects.ts";
import { beingCreated, content, observedSnapshot, snapshot as snapshotObject, withContent } from "../testing/snapshot-objects.ts";
import { explainClaim } from "./claim.ts";

type Source = Extract<ObservedDataSource, { readonly kind: "other" }>;

describe("a data source", () => {
  const ref = { namespace: "default", name: "src" };
  const from = (source: NonNullable<ObservedClaim["source"]>) => observedClaim(claim(), { source });
  const snapshot = (status: object) => from({ kind: "VolumeSnapshot", ref, snapshot: found({ status }) });
  const ready = { readyToUse: true, boundVolumeSnapshotContentName: "c" };
  table([
    [
      "a snapshot that does not exist",
      from({ kind: "VolumeSnapshot", ref, snapshot: missing }),
      ["failed", "the data source VolumeSnapshot default/src does not exist", "create it"],
    ],
    [
      "a snapshot of a kind that the cluster does not serve",
      from({ kind: "VolumeSnapshot", ref, snapshot: missing, isServed: false }),
      ["failed", "the data source is VolumeSnapshot default/src, and the cluster does not serve that kind", "install the definitions"],
    ],
    [
      "a snapshot that is not ready",
      snapshot({ ...ready, readyToUse: false }),
      ["waiting", "VolumeSnapshot default/src is not ready to use"],
    ],
    ["a snapshot that is not bound", snapshot({}), ["waiting", "VolumeSnapshot default/src is not ready to use"]],
    [
      "a snapshot that failed",
      snapshot({ error: { message: "disk on fire" } }),
      ["failed", "VolumeSnapshot default/src failed: disk on fire", "again"],
    ],
    [
      "a snapshot that waits for something itself",
      from({
        kind: "VolumeSnapshot",
        ref,
        snapshot: found({}),
        observed: observedSnapshot(snapshotObject(), { snapshotClass: missing }),
      }),
      [
        "failed",
        "VolumeSnapshot default/src is not ready to use: the snapshot names class gold, which does not exist",
        "create class gold",
      ],
    ],
    [
      "a snapshot that the driver is taking",
      from({ kind: "VolumeSnapshot", ref, snapshot: found({}), observed: withContent(content({}, {}, { annotations: beingCreated })) }),
      ["waiting", "VolumeSnapshot default/src is not ready to use: the driver is taking the snapshot", "check the logs"],
    ],
    [
      "a snapshot that is larger",
      snapshot({ ...ready, restoreSize: "2Gi" }),
      ["failed", "the claim requests 1Gi, less than the 2Gi of VolumeSnapshot default/src", "at least 2Gi"],
    ],
    ["a snapshot that is ready", snapshot(ready), ["waiting", `${driver} has not reported anything about the claim`]],
    [
      "a claim that does not exist",
      from({ kind: "PersistentVolumeClaim", ref, claim: missing }),
      ["failed", "the data source PersistentVolumeClaim default/src does not exist"],
    ],
    [
      "a claim that is not bound",
      from({ kind: "PersistentVolumeClaim", ref, claim: found(claim()) }),
      ["waiting", "the clone source PersistentVolumeClaim default/src is not bound", "why pvc default/src"],
    ],
    [
      "a claim that is being deleted",
      from({ kind: "PersistentVolumeClaim", ref, claim: found(bound({}, {}, { deletionTimestamp: ago(1) })) }),
      ["failed", "the clone source PersistentVolumeClaim default/src is being deleted"],
    ],
    [
      "a claim that is being deleted, and is kept until this clone of it exists",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: found(bound({}, {}, { deletionTimestamp: ago(1), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["waiting", `${driver} has not reported anything about the claim`],
    ],
    [
      "a claim that was being deleted before this one was created",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: found(bound({}, {}, { deletionTimestamp: ago(30), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["failed", "the clone source PersistentVolumeClaim default/src is being deleted"],
    ],
  ]);
});

describe("a data source that a populator has to read", () => {
  const other = { kind: "other", named: "Book default/src", group: "library.io", sourceKind: "Book" } as const;
  const from = (parts: Pick<Source, "populators"> & Partial<Source>, events: ObservedClaim["events"] = []) =>
    observedClaim(claim(), { source: { ...other, ...parts }, events });
  const populator = (name: string, group: string, kind: string) => ({ metadata: { name }, sourceKind: { group, kind } });
  const books = found([populator("tapes", "tape.io", "Tape"), populator("books", "library.io", "Book")]);
  const warned = event("PersistentVolumeClaim", "UnrecognizedDataSourceKind", "no match", 2, "volume-data-source-validator");
  const unknown = "the data source of the claim is Book default/src of group library.io, and no VolumePopulator announces that kind";
  const waits = "the populator of VolumePopulator books has to fill the volume from Book default/src of group library.io";
  const prime = { metadata: { namespace: "populators", name: "prime-claim-uid" } };
  table([
    ["a populator announces it", from({ populators: books }), ["waiting", waits, "up to the populator's controller"]],
    ["nobody announces it", from({ populators: found([]) }), ["failed", unknown, "install the populator"]],
    [
      "one of another group has the kind",
      from({ populators: found([populator("page", "library.io", "Page"), populator("old", "lib.io", "Book")]) }),
      [
        "failed",
        `${unknown}; the closest is Book.lib.io, which differs in its group`,
        "if Book.lib.io is meant, recreate the claim with that kind and apiGroup in spec.dataSourceRef; else install the populator",
      ],
    ],
    [
      "one has the kind in another letter case",
      from({ populators: found([populator("old", "lib.io", "Book"), populator("books", "Library.io", "book")]) }),
      ["failed", `${unknown}; the closest is book.Library.io, which differs in its letter case`],
    ],
    [
      "one has another kind of the group",
      from({ populators: found([populator("pages", "library.io", "Page")]) }),
      ["failed", `${unknown}; the closest is Page.library.io, which differs in its kind`],
    ],
    ["a populator that announces nothing", from({ populators: found([{ metadata: { name: "broken" } }]) }), ["failed", unknown]],
    ["the validator has warned", from({ populators: found([]) }, [warned]), ["failed", unknown]],
    ["the validator has warned, and populators cannot be read", from({ populators: unreadable }, [warned]), ["failed", unknown]],
    ["a populator came after the validator's warning", from({ populators: books }, [warned]), ["waiting", waits]],
    [
      "the kind VolumePopulator is not installed",
      from({ populators: missing }),
      [
        "waiting",
        "a volume populator has to fill the volume from Book default/src of group library.io, and nothing tells whether there is one: volumepopulators.populator.storage.k8s.io is not served",
        "check that a populator for Book.library.io runs",
      ],
    ],
    [
      "populators cannot be read",
      from({ populators: unreadable }),
      ["waiting", "a volume populator has to fill the volume from Book default/src of group library.io"],
    ],
    [
      "a populator that nobody announces has begun",
      from({ populators: found([]), primes: found([prime]) }),
      [
        "waiting",
        "the volume populator waits for claim populators/prime-claim-uid, whose volume it is to fill",
        "why pvc populators/prime-claim-uid",
      ],
    ],
    [
      "the populator is at work",
      from({ populators: books, primes: found([{ ...prime, status: { phase: "Bound" } }]) }),
      ["waiting", "the volume populator is filling the volume", "the populator's log"],
    ],
    [
      "the populator failed",
      from({ populators: books }, [
        { ...event("PersistentVolumeClaim", "PopulatorFailed", "Populator failed: torn page"), type: "Warning" },
      ]),
      ["failed", "the volume populator failed: Populator failed: torn page", "the populator's log"],
    ],
  ]);

  test("a populator waits for the first pod of a claim as the driver would", () => {
    const { source } = from({ populators: books });
    const answer = check(observedClaim(claim(), { storageClass: found(late), pods: found([]), ...(source && { source }) }), [
      "waiting",
      "no pod uses the claim, and its class creates volumes only when one does",
    ]);
    expect(answer.steps.map(({ state, what }) => `${state}: ${what}`)).toContain(
      "done: the volume is to be filled from Book default/src of group library.io",
    );
  });

  test("the evidence: what the claim names, whether the validator has warned, which kinds are near", () => {
    const evidence = (events: ObservedClaim["events"]) => {
      const given = from({ populators: found([populator("old", "lib.io", "Book")]) }, events);
      const { steps } = explainClaim(given);
      return steps.find(({ state }) => state === "failed")?.evidence.map(({ object, field, value }) => `${object}: ${field}: ${value}`);
    };
    const reference = "PersistentVolumeClaim default/data: spec.dataSourceRef: Book.library.io";
    const near = "VolumePopulator old: sourceKind: Book.lib.io, which differs in its group";
    expect(evidence([])).toEqual([
      reference,
      "PersistentVolumeClaim default/data: events: no volume-data-source-validator has warned of it",
      near,
    ]);
    expect(evidence([warned])).toEqual([
      reference,
      "PersistentVolumeClaim default/data: event UnrecognizedDataSourceKind (3 times): no match",
      near,
    ]);
  });
});
