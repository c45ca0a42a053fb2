import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock } from "@csi-sidecars/base/testing";
import { EventBroadcaster, type KubeObject } from "@csi-sidecars/kube";
import type { Claim, Volume } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import { healthContext } from "../health-context.ts";
import { driverName } from "../testing/objects.ts";
import { reportCondition, type VolumeChecks } from "./volume-checks.ts";

const names = Array.from({ length: 5_000 }, (_, i) => `data-${i}`);
const claims: ReadonlyMap<string, Claim> = new Map(names.map((name) => [`default/${name}`, { metadata: metadataOf(name) }]));
const volumes = names.map(
  (name): Volume => ({
    metadata: { name: `pv-${name}`, uid: `uid-of-pv-${name}`, resourceVersion: "1" },
    spec: { csi: { driver: driverName, volumeHandle: name }, claimRef: { namespace: "default", name, uid: `uid-of-${name}` } },
    status: { phase: "Bound" },
  }),
);

function metadataOf(name: string) {
  return { namespace: "default", name, uid: `uid-of-${name}`, resourceVersion: "1" };
}

/** The context of the component, with an API server that counts the events it is sent. */
function setUp() {
  const sent = { POST: 0, PATCH: 0 };
  const client = {
    async create<T extends KubeObject>(_: unknown, object: T) {
      sent.POST++;
      return object;
    },
    async patch<T extends KubeObject>(_resource: unknown, _ref: unknown, { body }: { readonly body: object }) {
      sent.PATCH++;
      return body as T;
    },
  };
  const [clock, log] = [new FakeClock(), silentLogger];
  const broadcaster = new EventBroadcaster({ client, clock });
  const component = {
    events: (...[source, options]: Parameters<HealthMonitorComponentContext["events"]>) => broadcaster.recorder(source, log, options),
    informers: { forFields: () => claims },
    driver: { client: {} },
    flags: {},
    ...{ clock, log },
  };
  const info = { name: driverName, listsVolumes: true, getsVolumes: false };
  const c = healthContext(component as unknown as HealthMonitorComponentContext, info) as VolumeChecks;
  return { c, sent, clock, broadcaster };
}

test("however many volumes are abnormal, each has one event, whose count rises", async () => {
  const { c, sent, clock, broadcaster } = setUp();
  for (let list = 0; list < 3; list++) {
    for (const volume of volumes) reportCondition(c, volume, { abnormal: true, message: "the pool is gone" });
    await clock.advance(300_000);
  }
  await broadcaster.shutDown(10_000);
  expect(sent).toEqual({ POST: names.length, PATCH: 2 * names.length });
});

test("recoveries among them do not cost the others their events", async () => {
  const { c, sent, broadcaster } = setUp();
  for (let list = 0; list < 3; list++) {
    for (const [at, volume] of volumes.entries()) {
      reportCondition(c, volume, { abnormal: list === 0 || at % 5 > 0, message: "the pool is gone" });
    }
  }
  await broadcaster.shutDown(10_000);
  expect(sent).toEqual({ POST: names.length * 1.2, PATCH: 2 * names.length * 0.8 });
});
