import { afterEach, expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock } from "@csi-sidecars/base/testing";
import { fields } from "./fields/fields.ts";
import { InformerFactory } from "./informer-factory.ts";
import { added, ConfigMap, configMap, configMapFields, initialEnd, listOf, modified } from "./testing/objects.ts";
import { ScriptedClient, ScriptedWatch, statusError } from "./testing/scripted-client.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function world() {
  const client = new ScriptedClient();
  const clock = new FakeClock();
  const stop = new AbortController();
  stops.push(stop);
  const informers = new InformerFactory({ client, clock, log: silentLogger, freeze: true });
  return { client, clock, stop, informers, settle: () => clock.advance(0) };
}

const named = fields(ConfigMap, {});
const some = fields(ConfigMap, { data: ["k"] });

function streamed(...objects: ConfigMap[]): ScriptedWatch {
  const watch = new ScriptedWatch();
  watch.send(...objects.map(added), initialEnd("5"));
  return watch;
}

test("readers of one selection share a watch and the union of their fields; a standby holds none", async () => {
  const { client, informers, stop, settle } = world();
  const [a, b] = [informers.forFields(named), informers.forFields(some)];
  await settle();
  expect([client.requests.length, informers.waitingFor(), informers.status()[0]?.state]).toEqual([0, ["configmaps"], "idle"]);
  client.answer(streamed(configMap("x", 1, { k: "v", other: "w" })));
  informers.start(stop.signal);
  await informers.waitForSync();
  expect([client.requests.length, informers.waitingFor()]).toEqual([1, []]);
  expect(b.get("default/x")?.data).toEqual({ k: "v" });
  expect(a.get("default/x")?.metadata.name).toBe("x");
  expect(() => informers.start(stop.signal)).toThrow("already started");
});

test("different selections share nothing and say who they are", async () => {
  const { client, informers, stop, settle } = world();
  informers.forFields(named, { namespace: "kube-system", labelSelector: "a=b" });
  informers.forFields(named, { namespace: "default" });
  informers.start(stop.signal);
  await settle();
  expect(client.requests.map((request) => request.options.namespace)).toEqual(["kube-system", "default"]);
  expect(informers.waitingFor()).toEqual(["configmaps (namespace=kube-system, labels=a=b)", "configmaps (namespace=default)"]);
});

test("a late reader of covered fields joins the cache as it is", async () => {
  const { client, informers, stop, settle } = world();
  informers.forFields(configMapFields);
  informers.start(stop.signal);
  client.answer(streamed(configMap("x", 1, { k: "v" })));
  await settle();
  const late = informers.forFields(some);
  expect([late.hasSynced(), late.get("default/x")?.data, client.requests.length]).toEqual([true, { k: "v" }, 1]);
});

test("a late reader of more fields makes the informer list again; the others keep working, the reader waits", async () => {
  const { client, informers, stop, settle } = world();
  const told: string[] = [];
  const early = informers.forFields(named);
  early.addHandler({
    onAdd: (object, { initial }) => void told.push(`early +${object.metadata.name} ${initial}`),
    onUpdate: (_, object) => void told.push(`early ~${object.metadata.name}`),
  });
  informers.start(stop.signal);
  client.answer(streamed(configMap("x", 1, { k: "v" }), configMap("y", 1)));
  await settle();
  const late = informers.forFields(some);
  const later = informers.forFields(named);
  late.addIndex("k", (object) => (object.data?.k ? [object.data.k] : []));
  const registration = late.addHandler({ onAdd: (object, { initial }) => void told.push(`late +${object.data?.k} ${initial}`) });
  await settle();
  expect([late.hasSynced(), late.list(), later.hasSynced(), registration.hasSynced()]).toEqual([false, [], false, false]);
  expect(early.list()).toHaveLength(2);
  expect(informers.waitingFor()).toEqual(["configmaps"]);
  expect(client.requests.at(-1)?.options.resourceVersion).toBe("5");
  const wider = streamed(configMap("x", 1, { k: "v" }), configMap("y", 6));
  client.answer(wider);
  await informers.waitForSync();
  await registration.waitForSync();
  expect(late.byIndex("k", "v").map((object) => object.metadata.name)).toEqual(["x"]);
  expect(told).toEqual(["early +x true", "early +y true", "early ~y", "late +v true", "late +undefined true"]);
  wider.send(modified(configMap("x", 7, { k: "w" })));
  await settle();
  expect([late.byIndex("k", "w").length, told.at(-1)]).toEqual([1, "early ~x"]);
});

test("while all readers read metadata, no more is asked for; the first that reads more has whole objects sent", async () => {
  const { client, informers, stop, settle } = world();
  const labelled = informers.forFields(fields(ConfigMap, { metadata: { labels: true } }));
  informers.forFields(named);
  informers.start(stop.signal);
  client.answer(statusError(400, "BadRequest"), listOf("5", [configMap("x", 1)]), new ScriptedWatch());
  await settle();
  expect(client.requests.map(({ verb, metadataOnly }) => `${verb} ${metadataOnly}`)).toEqual(["watch true", "list true", "watch true"]);
  expect(labelled.get("default/x")?.metadata.name).toBe("x");
  const late = informers.forFields(some);
  client.answer(streamed(configMap("x", 1, { k: "v" })));
  await informers.waitForSync();
  expect(client.requests.slice(3).map(({ verb, metadataOnly }) => `${verb} ${metadataOnly}`)).toEqual(["watch undefined"]);
  expect([late.get("default/x")?.data, labelled.list().length]).toEqual([{ k: "v" }, 1]);
});

test("indexes belong to their reader, and leave with it; the last reader ends the watch", async () => {
  const { client, informers, stop, settle } = world();
  const [a, b] = [informers.forFields(named), informers.forFields(named)];
  let indexed = 0;
  a.addIndex("by", (object) => {
    indexed++;
    return [object.metadata.name];
  });
  b.addIndex("by", () => ["all"]);
  const told: string[] = [];
  a.addHandler({ onAdd: (object) => void told.push(object.metadata.name) });
  informers.start(stop.signal);
  const watch = streamed(configMap("x", 1));
  client.answer(watch);
  await settle();
  expect([a.byIndex("by", "x").length, b.byIndex("by", "all").length]).toEqual([1, 1]);
  a.close();
  watch.send(added(configMap("y", 6)));
  await settle();
  expect([told, indexed, b.list().length, informers.status().length]).toEqual([["x"], 1, 2, 1]);
  b.close();
  await settle();
  expect([watch.closed, informers.status()]).toEqual([true, []]);
  informers.forFields(named);
  await settle();
  expect(client.requests).toHaveLength(2);
});

test("cached objects are frozen when asked for", async () => {
  const { client, informers, stop } = world();
  const view = informers.forFields(configMapFields);
  informers.start(stop.signal);
  client.answer(streamed(configMap("x", 1, { k: "v" })));
  await view.waitForSync();
  expect(Object.isFrozen(view.get("default/x")?.data)).toBe(true);
});
