import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { KeyedMutex } from "@csi-sidecars/controller";
import { type Client, VolumeSnapshot } from "@csi-sidecars/kube";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { cachedClaim, emptyState } from "../testing/cached.ts";
import { sweepSnapshots } from "./snapshot-protection.ts";

const snapshot = (name: string) => ({
  metadata: { name, namespace: "default", uid: name, resourceVersion: "1", finalizers: [finalizer.snapshotSource] },
});

test("a snapshot that a restore begins to need while others are let go is kept", async () => {
  const all = [snapshot("first"), snapshot("second")];
  const restored = new Set<string>();
  const released: string[] = [];
  const end = new AbortController();
  const kube: Partial<Client> = {
    discover: async () => [{ name: VolumeSnapshot.plural, kind: VolumeSnapshot.kind, namespaced: true, verbs: [] }],
    list: async () => ({ metadata: {}, items: [] }),
    watch: async () => (async function* () {})(),
    get: async (_, { name }) => all.find(({ metadata }) => metadata.name === name) as never,
    async update(_, object) {
      released.push(object.metadata?.name ?? "");
      restored.add("default/second");
      return object;
    },
  };
  const c = {
    kube,
    state: emptyState(),
    locks: new KeyedMutex(),
    claimsRestoring: (key: string) => (restored.has(key) ? [cachedClaim()] : []),
    clock: new FakeClock(),
    log: recordingLogger(),
  } as Partial<ProvisionerContext> as ProvisionerContext;
  const sleeping = Promise.withResolvers<void>();
  c.clock.sleep = async () => sleeping.resolve(end.abort());
  const view = { waitForSync: async () => {}, list: () => all };
  await sweepSnapshots(c, { intervalMs: 1, snapshots: () => view as never }, end.signal);
  await sleeping.promise;
  expect(released).toEqual(["first"]);
});
