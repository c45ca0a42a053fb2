import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { Controller } from "@csi-sidecars/controller";
import { type Cached, type Handler, itemExponential } from "@csi-sidecars/kube";
import { type Caches, indexCaches } from "./caches.ts";
import { addEventHandlers } from "./event-handlers.ts";
import type { Claim, Class, Volume } from "./fields.ts";
import type { ProvisionerContext } from "./provisioner-context.ts";
import { able, cachedClaim, cachedClass, cachedVolume, emptyState } from "./testing/cached.ts";

/** A cache that a test fills, with the handler that listens to it. */
function view<T extends Cached>(...objects: readonly T[]) {
  const indexes = new Map<string, (object: T) => readonly string[]>();
  const held = [...objects];
  let handler: Handler<T> = {};
  return {
    tell: () => handler,
    put: (object: T) => void held.splice(0, held.length, object),
    addIndex: (name: string, values: (object: T) => readonly string[]) => void indexes.set(name, values),
    addHandler(added: Handler<T>) {
      handler = added;
    },
    get: (key: string) => held.find(({ metadata }) => metadata.name === key),
    byIndex: (name: string, value: string) => held.filter((object) => indexes.get(name)?.(object).includes(value)),
  };
}

function watched() {
  const clock = new FakeClock();
  const controller = () =>
    new Controller({ clock, log: recordingLogger() }, { name: "", rateLimiter: itemExponential(1_000, 10_000), workers: 1 });
  const controllers = { claims: controller(), volumes: controller(), cloneSources: controller(), unsavedVolumes: controller() };
  const caches = { claims: view<Claim>(), volumes: view<Volume>(), classes: view<Class>(), attachments: undefined };
  const state = emptyState();
  const lookups = indexCaches(caches as never as Caches, able);
  const settings = { cleanupOrphanedVolumes: false };
  const c = { driver: able, state, controllers, settings, ...lookups } as Partial<ProvisionerContext> as ProvisionerContext;
  addEventHandlers(c, caches as never as Caches);
  return { ...caches, queues: { claims: controllers.claims.queue, volumes: controllers.volumes.queue }, state };
}

/** While the watch was interrupted an object was deleted, and another one made under its name. */
function replaced<T extends Cached>({ tell, put }: ReturnType<typeof view<T>>, old: T, now: T): void {
  put(now);
  tell().onDelete?.(old, { finalStateUnknown: true });
  tell().onAdd?.(now, { initial: false });
}

describe("an object that was replaced", () => {
  test("a claim: the new one is looked at, though it is the same in all but its uid, and the old one forgotten", () => {
    const { claims, queues, state } = watched();
    const [old, now] = [cachedClaim(), cachedClaim({ metadata: { uid: "other-uid" } })];
    state.requestInfeasible("claim-uid", "class-uid");
    replaced(claims, old, now);
    expect(queues.claims.take()).toBe("other-uid");
    expect(state.sizes().infeasible).toBe(0);
  });

  test("a volume: the new one is looked at, and what was done with the old one forgotten", () => {
    const { volumes, queues, state } = watched();
    const [old, now] = [cachedVolume(), cachedVolume({ metadata: { uid: "other-uid" } })];
    state.volumeFinalizerRemoved("volume-uid");
    replaced(volumes, old, now);
    expect(queues.volumes.take()).toBe("pv-1");
    expect(state.sizes().deleted).toBe(0);
  });

  test("a class: the claims that wait for another one are looked at", () => {
    const { claims, classes, queues } = watched();
    claims.put(cachedClaim());
    classes.tell().onUpdate?.(cachedClass(), cachedClass());
    expect(queues.claims.take()).toBeUndefined();
    replaced(classes, cachedClass(), cachedClass({ metadata: { uid: "other-uid" } }));
    expect(queues.claims.take()).toBe("claim-uid");
  });
});
