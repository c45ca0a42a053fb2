import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock, seededRandom } from "@csi-sidecars/base/testing";
import type { CachedOf } from "./fields/fields.ts";
import { InformerFactory } from "./informer-factory.ts";
import type { View } from "./shared/view.ts";
import { FlakyServer } from "./testing/flaky-server.ts";
import { configMapFields } from "./testing/objects.ts";

type Seen = CachedOf<typeof configMapFields>;

/** What a handler believes to exist; throws on anything that contradicts what it was told before. */
function replay(view: View<Seen>, resyncMs: number): Map<string, Seen> {
  const believed = new Map<string, Seen>();
  view.addHandler(
    {
      onAdd(object) {
        if (believed.has(object.metadata.name)) throw new Error(`${object.metadata.name} added twice`);
        believed.set(object.metadata.name, object);
      },
      onUpdate(old, object) {
        if (believed.get(object.metadata.name) !== old) throw new Error(`${object.metadata.name} changed from an unknown state`);
        believed.set(object.metadata.name, object);
      },
      onDelete(object) {
        if (!believed.delete(object.metadata.name)) throw new Error(`${object.metadata.name} deleted unknown`);
      },
    },
    { resyncMs },
  );
  return believed;
}

const versions = (objects: Iterable<Seen | { metadata?: { name?: string; resourceVersion?: string } }>) =>
  [...objects].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();

test.each(Array.from({ length: 20 }, (_, i) => 1_000 + i))(
  "whatever the server does, store and handlers end at the truth (seed %d)",
  async (seed) => {
    const random = seededRandom(seed);
    const server = new FlakyServer(random);
    const clock = new FakeClock();
    const stop = new AbortController();
    const contradictions: unknown[] = [];
    const informers = new InformerFactory({
      client: server,
      clock,
      log: silentLogger,
      random,
      freeze: true,
      onError: (error) => contradictions.push(error),
    });
    const view = informers.forFields(configMapFields);
    view.addIndex("value", (object) => [object.data?.value ?? ""]);
    const handlers = [replay(view, 0), replay(view, 3_000)];
    informers.start(stop.signal);

    for (let step = 0; step < 150; step++) {
      for (let n = Math.floor(random() * 4); n > 0; n--) server.change();
      if (random() < 0.1) server.compact();
      if (random() < 0.05) handlers.push(replay(view, random() < 0.5 ? 0 : 5_000));
      await clock.advance(Math.floor(random() * 1_500));
    }
    server.calm = true;
    await clock.advance(60_000);
    server.change();
    await clock.advance(0);

    const truth = versions(server.objects.values());
    expect(contradictions).toEqual([]);
    expect(versions(view.list())).toEqual(truth);
    for (const believed of handlers) expect(versions(believed.values())).toEqual(truth);
    for (const value of ["0", "1", "2", "3", "4"]) {
      const expected = [...server.objects.values()].filter((object) => object.data?.value === value);
      expect(versions(view.byIndex("value", value))).toEqual(versions(expected));
    }
    expect(versions(view.list("default"))).toEqual(truth);
    stop.abort();
  },
);
