import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type Cached, type Handler, itemExponential, RateLimitingQueue } from "@csi-sidecars/kube";
import type { Claim, Class, Volume } from "./fields.ts";
import { emptyMemory } from "./memory.ts";
import { able, cachedClaim, cachedClass, cachedVolume } from "./testing/cached.ts";
import { type Views, watchObjects } from "./watch-objects.ts";

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
  const queue = () => new RateLimitingQueue({ clock, limiter: itemExponential(1_000, 10_000) });
  const queues = { claims: queue(), volumes: queue(), cloneSources: queue() };
  const views = { claims: view<Claim>(), volumes: view<Volume>(), classes: view<Class>(), attachments: undefined };
  const memory = emptyMemory();
  watchObjects(views as never as Views, queues, able, memory);
  return { ...views, queues, memory };
}

/** While the watch was interrupted an object was deleted, and another one made under its name. */
function replaced<T extends Cached>({ tell, put }: ReturnType<typeof view<T>>, old: T, now: T): void {
  put(now);
  tell().onDelete?.(old, { finalStateUnknown: true });
  tell().onAdd?.(now, { initial: false });
}

describe("an object that was replaced", () => {
  test("a claim: the new one is looked at, though it is the same in all but its uid, and the old one forgotten", () => {
    const { claims, queues, memory } = watched();
    const [old, now] = [cachedClaim(), cachedClaim({ metadata: { uid: "other-uid" } })];
    memory.infeasible.set("claim-uid", { at: 0, classUid: "class-uid" });
    replaced(claims, old, now);
    expect(queues.claims.take()).toBe("other-uid");
    expect(memory.infeasible.size).toBe(0);
  });

  test("a volume: the new one is looked at, and what was done with the old one forgotten", () => {
    const { volumes, queues, memory } = watched();
    const [old, now] = [cachedVolume(), cachedVolume({ metadata: { uid: "other-uid" } })];
    memory.deleted.set("volume-uid", "released");
    replaced(volumes, old, now);
    expect(queues.volumes.take()).toBe("pv-1");
    expect(memory.deleted.size).toBe(0);
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
