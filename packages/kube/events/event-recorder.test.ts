import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { StatusError } from "../client/status-error.ts";
import { Lease, PersistentVolume, PersistentVolumeClaim } from "../resources.ts";
import { TransportError } from "../transport/transport.ts";
import { eventMetrics } from "./event-metrics.ts";
import { involved } from "./event-object.ts";
import { EventBroadcaster, type EventBroadcasterOptions } from "./event-recorder.ts";
import { maxHoldMs } from "./event-throttle.ts";
import { type Answer, ScriptedEventClient } from "./testing/scripted-event-client.ts";

const claim = (name = "data", namespace = "default") =>
  involved(PersistentVolumeClaim, { metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: "7" } });

function setUp(answer?: Answer, options: Pick<EventBroadcasterOptions, "working" | "maxWaiting"> = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const client = new ScriptedEventClient();
  if (answer) client.answer = answer;
  const registry = new Registry();
  const broadcaster = new EventBroadcaster({ client, clock, log, metrics: eventMetrics(registry), random: () => 0.5, ...options });
  const recorder = broadcaster.recorder("external-resizer ebs.csi.aws.com");
  const outcomes = async () => {
    const lines = (await registry.metrics())
      .split("\n")
      .flatMap((line) => /^event_recorder_events_total\{outcome="(\w+)"\} (\d+)/.exec(line)?.slice(1) ?? []);
    return lines.join(" ");
  };
  const errors = () => log.lines.filter((line) => line.severity === "error").map((line) => line.message);
  return { clock, log, client, broadcaster, recorder, outcomes, errors, settle: () => clock.advance(0) };
}

const refused = () => new TransportError("refused", "connection refused");
const status = (code: number, reason: string, cause?: string) =>
  new StatusError({ code, reason, message: reason, details: { causes: cause ? [{ reason: cause }] : [] } });

describe("the event object", () => {
  test.each([16_384, 65_000])("of a driver's error of %d bytes has the beginning of it, as has the log", async (length) => {
    const { client, log, recorder, settle } = setUp();
    recorder.event(claim(), "Warning", "Failed", "x".repeat(length));
    await settle();
    expect(client.calls[0]?.body).toMatchObject({ message: "x".repeat(16_384) });
    expect(log.lines.find((line) => line.message === "Event occurred")?.fields).toMatchObject({ message: "x".repeat(16_384) });
  });

  test("of a namespaced object", async () => {
    const { client, recorder, settle, clock } = setUp();
    recorder.event(claim(), "Normal", "Resizing", "External resizer is resizing volume pv-1");
    await settle();
    expect(JSON.parse(JSON.stringify(client.calls[0]?.body))).toEqual({
      metadata: { name: `data.${(BigInt(clock.now()) * 1_000_000n + 500_000n).toString(16)}`, namespace: "default" },
      involvedObject: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        name: "data",
        namespace: "default",
        uid: "uid-data",
        resourceVersion: "7",
      },
      reason: "Resizing",
      message: "External resizer is resizing volume pv-1",
      type: "Normal",
      source: { component: "external-resizer ebs.csi.aws.com" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
      reportingComponent: "external-resizer ebs.csi.aws.com",
      reportingInstance: "",
    });
  });

  test("of a cluster-scoped object lies in default; groups are named", async () => {
    const { client, recorder, settle } = setUp();
    recorder.event(involved(PersistentVolume, { metadata: { name: "pv-1" } }), "Warning", "VolumeFailedDelete", "busy");
    recorder.event(involved(Lease, { metadata: { name: "l", namespace: "csi" } }), "Normal", "LeaderElection", "a became leader");
    await settle();
    expect(client.calls.map((call) => [call.namespace, call.body.involvedObject?.apiVersion])).toEqual([
      ["default", "v1"],
      ["csi", "coordination.k8s.io/v1"],
    ]);
  });

  test("has a name of its own even within a millisecond, and a UUID where the object's name is no DNS name", async () => {
    const { client, recorder, settle } = setUp();
    for (const reason of ["A", "B", "C"]) recorder.event(claim(), "Normal", reason, "x");
    recorder.event(claim("Upper_Case"), "Normal", "A", "x");
    await settle();
    expect(new Set(client.calls.map((call) => call.name)).size).toBe(4);
    expect(client.calls.find((call) => call.body.involvedObject?.name === "Upper_Case")?.name).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test("is also a line in the log of the one who recorded it", () => {
    const { broadcaster } = setUp();
    const own = recordingLogger();
    broadcaster.recorder("snapshot-controller", own).event(claim(), "Normal", "Created", "done");
    expect(own.lines).toMatchObject([
      {
        message: "Event occurred",
        fields: { object: "default/data", kind: "PersistentVolumeClaim", type: "Normal", reason: "Created", message: "done" },
      },
    ]);
  });
});

describe("delivery", () => {
  test("the same event three times: POST, then PATCH with count 2 and 3", async () => {
    const { client, recorder, settle, outcomes } = setUp();
    for (let i = 0; i < 3; i++) recorder.event(claim(), "Warning", "Failed", "no space");
    await settle();
    expect(client.summary).toEqual(["POST 1", "PATCH 2", "PATCH 3"]);
    expect(client.calls[2]?.body).toEqual({ count: 3, lastTimestamp: "2026-01-01T00:00:00Z", message: "no space" });
    expect(new Set(client.calls.map((call) => call.name)).size).toBe(1);
    expect(await outcomes()).toBe("sent 3");
  });

  test("the 26th event about an object makes no request", async () => {
    const { client, recorder, settle, outcomes } = setUp();
    for (let i = 0; i < 30; i++) recorder.event(claim(), "Warning", "Failed", "no space");
    await settle();
    expect(client.calls).toHaveLength(25);
    expect(await outcomes()).toBe("filtered 5 sent 25");
  });

  test("a PATCH of an event that is gone becomes a POST with the same name and count", async () => {
    const { client, recorder, settle } = setUp(({ verb }) => (verb === "PATCH" ? status(404, "NotFound") : undefined));
    for (let i = 0; i < 2; i++) recorder.event(claim(), "Warning", "Failed", "no space");
    await settle();
    expect(client.summary).toEqual(["POST 1", "PATCH 2", "POST 2"]);
    expect(client.calls[2]).toMatchObject({ name: client.calls[0]!.name, body: { count: 2, metadata: { name: client.calls[0]!.name } } });
    expect(client.calls[2]?.body.metadata?.resourceVersion).toBeUndefined();
  });

  const rejections: [name: string, error: StatusError, errorLines: number][] = [
    ["403", status(403, "Forbidden"), 1],
    ["404 on create", status(404, "NotFound"), 1],
    ["409 AlreadyExists", status(409, "AlreadyExists"), 0],
    ["403 because the namespace terminates", status(403, "Forbidden", "NamespaceTerminating"), 0],
    ["500", status(500, "InternalError"), 1],
  ];
  test.each(rejections)("%s: not retried", async (_, error, errorLines) => {
    const { clock, client, recorder, errors, outcomes } = setUp(() => error);
    recorder.event(claim(), "Warning", "Failed", "no space");
    await clock.advance(600_000);
    expect(client.calls).toHaveLength(1);
    expect(errors()).toHaveLength(errorLines);
    expect(await outcomes()).toBe("rejected 1");
  });

  test("no connection: retried within 10 s, then every 10 s, 12 times in all", async () => {
    const times: number[] = [];
    const { clock, recorder, errors, outcomes } = setUp(() => {
      times.push(clock.monotonic() / 1000);
      return refused();
    });
    recorder.event(claim(), "Warning", "Failed", "no space");
    await clock.advance(600_000);
    expect(times).toEqual([0, 5, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105]);
    expect(errors()).toEqual(["Events were dropped"]);
    expect(await outcomes()).toBe("unreachable 1");
  });

  test("an event that is retried later delays those about its object, but nothing else", async () => {
    let broken = true;
    const { clock, client, recorder, settle } = setUp(({ body, name }) =>
      broken && (body.involvedObject?.name === "data" || name.startsWith("data.")) ? refused() : undefined,
    );
    recorder.event(claim("data"), "Warning", "Failed", "no space");
    recorder.event(claim("data"), "Warning", "Failed", "no space");
    for (let i = 0; i < 20; i++) recorder.event(claim(`other-${i}`), "Normal", "Resizing", "x");
    await settle();
    expect(client.summary).toHaveLength(21);
    expect(client.calls.filter((call) => call.name.startsWith("data."))).toHaveLength(1);
    broken = false;
    await clock.advance(10_000);
    expect(client.calls.filter((call) => call.name.startsWith("data.")).map((call) => call.verb)).toEqual(["POST", "POST", "PATCH"]);
  });

  test("at most ten requests at a time", async () => {
    const gate = Promise.withResolvers<void>();
    const { client, recorder, settle } = setUp(() => gate.promise);
    for (let i = 0; i < 25; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Resizing", "x");
    await settle();
    expect(client.calls).toHaveLength(10);
    gate.resolve();
    await settle();
    expect(client.calls).toHaveLength(25);
  });

  test("large events beyond 16 MiB of messages push out the oldest", async () => {
    let broken = true;
    const { clock, client, recorder, errors, outcomes, settle, log } = setUp(() => (broken ? refused() : undefined));
    const page = "x".repeat(16 * 1024);
    for (let i = 0; i < 1_028; i++) recorder.event(claim(`claim-${i}`), "Normal", "Large", page);
    await settle();
    // The first ten were being sent when the limit was reached.
    expect(await outcomes()).toBe("overflow 4");
    expect(errors()).toEqual(["Events were dropped"]);
    expect(String(log.lines.find(({ severity }) => severity === "error")?.error)).toContain("16 MiB of messages");

    broken = false;
    client.calls.length = 0;
    await clock.advance(60_000);
    expect(client.calls).toHaveLength(1_024);
    expect(client.calls.map(({ name }) => name.split(".")[0])).toContain("claim-1027");
    for (let i = 0; i < 1_024; i++) recorder.event(claim(`later-${i}`), "Normal", "Large", page);
    await settle();
    expect(await outcomes()).toBe("overflow 4 sent 2048");
  });

  test("the oldest go when too many wait, with one line a minute", async () => {
    let broken = true;
    const most = 1_000;
    const { clock, client, recorder, errors, outcomes, settle } = setUp(() => (broken ? refused() : undefined), { maxWaiting: most });
    for (let i = 0; i < most + 50; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Resizing", "x");
    await settle();
    expect(await outcomes()).toBe("overflow 50");
    expect(errors()).toEqual(["Events were dropped"]);
    broken = false;
    client.calls.length = 0;
    await clock.advance(10_000);
    expect(client.calls).toHaveLength(most);
    expect(client.calls.some((call) => call.name.startsWith(`pvc-${most + 49}.`))).toBe(true);
  });

  test("how many were dropped is known at the end of the program", async () => {
    const { clock, recorder, broadcaster, log } = setUp(() => undefined, { maxWaiting: 10 });
    for (let i = 0; i < 50; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Resizing", "x");
    await broadcaster.shutDown(5_000);
    const dropped = log.lines.filter(({ message }) => message === "Events were dropped").map(({ fields }) => fields.events);
    expect(dropped).toEqual([1, 39]);
    expect(clock.waiting).toBe(0);
  });

  test("sources are counted and filtered apart, however many there are", async () => {
    const { client, broadcaster, settle } = setUp();
    for (let i = 0; i < 40; i++) broadcaster.recorder(`source-${i}`).event(claim(), "Warning", "Failed", "no space");
    await settle();
    expect(client.summary).toEqual(Array(40).fill("POST 1"));
  });

  test("nothing reaches the caller, whatever it passes", () => {
    const { recorder, errors } = setUp();
    const broken = undefined as never;
    expect(() => recorder.event(broken, "Normal", "Resizing", "x")).not.toThrow();
    expect(errors()).toEqual(["Could not record event"]);
  });
});

describe("while there is work", () => {
  function setUpWork(answer?: Answer) {
    const work = { busy: true };
    return { work, ...setUp(answer, { working: () => work.busy }) };
  }
  const names = (client: ScriptedEventClient) => client.calls.map(({ name }) => name.split(".")[0]);

  test("events wait until it pauses", async () => {
    const { work, clock, client, recorder } = setUpWork();
    for (let i = 0; i < 20; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Provisioning", "x");
    await clock.advance(5_000);
    expect(client.calls).toHaveLength(0);
    work.busy = false;
    await clock.advance(100);
    expect(client.calls).toHaveLength(20);
    expect(clock.waiting).toBe(0);
  });

  test("they do not wait forever", async () => {
    const { clock, client, recorder } = setUpWork();
    recorder.event(claim("early"), "Normal", "Provisioning", "x");
    await clock.advance(maxHoldMs / 2);
    recorder.event(claim("late"), "Normal", "Provisioning", "x");
    await clock.advance(maxHoldMs / 2);
    expect(names(client)).toEqual(["early"]);
    await clock.advance(maxHoldMs / 2);
    expect(names(client)).toEqual(["early", "late"]);
  });

  test("a warning goes at once, after what came before it about the same object", async () => {
    const { clock, client, recorder, settle } = setUpWork();
    recorder.event(claim("other"), "Normal", "Provisioning", "x");
    recorder.event(claim("data"), "Normal", "Provisioning", "x");
    recorder.event(claim("third"), "Normal", "Provisioning", "x");
    recorder.event(claim("data"), "Warning", "ProvisioningFailed", "no space");
    await settle();
    expect(client.calls.map(({ body }) => body.reason)).toEqual(["Provisioning", "ProvisioningFailed"]);
    expect(names(client)).toEqual(["data", "data"]);
    await clock.advance(maxHoldMs);
    expect(names(client)).toEqual(["data", "data", "other", "third"]);
  });

  test("the more wait, the more are sent all the same", async () => {
    const { client, recorder, settle } = setUpWork(() => new Promise(() => {}));
    for (let i = 0; i < 4_999; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Provisioning", "x");
    await settle();
    expect(client.calls).toHaveLength(0);
    for (let i = 5_000; i < 15_001; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Provisioning", "x");
    await settle();
    expect(client.calls).toHaveLength(9);
  });

  test("a warning is the next, however many are on their way", async () => {
    const answers: PromiseWithResolvers<void>[] = [];
    const { client, recorder, settle } = setUpWork(() => {
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    });
    for (let i = 0; i < 20_001; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Provisioning", "x");
    recorder.event(claim("data"), "Warning", "ProvisioningFailed", "no space");
    await settle();
    expect(client.calls).toHaveLength(16);
    answers[0]?.resolve();
    await settle();
    expect(names(client).at(-1)).toBe("data");
  });

  test("the end of the program waits for no pause", async () => {
    const { clock, recorder, broadcaster, outcomes } = setUpWork();
    for (let i = 0; i < 20; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Provisioning", "x");
    await broadcaster.shutDown(5_000);
    expect(await outcomes()).toBe("sent 20");
    expect(clock.waiting).toBe(0);
  });
});

describe("shutdown", () => {
  test("waits for what is on its way", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, recorder, broadcaster, settle, outcomes } = setUp(() => gate.promise);
    for (let i = 0; i < 25; i++) recorder.event(claim(`pvc-${i}`), "Normal", "Resizing", "x");
    let ended = false;
    const end = broadcaster.shutDown(5_000).then(() => {
      ended = true;
    });
    await settle();
    expect(ended).toBe(false);
    gate.resolve();
    await end;
    expect(await outcomes()).toBe("sent 25");
    expect(clock.waiting).toBe(0);
  });

  test("events in backoff get one last attempt", async () => {
    const { clock, client, recorder, broadcaster, settle } = setUp(refused);
    recorder.event(claim(), "Normal", "Resizing", "x");
    await settle();
    client.answer = () => undefined;
    await broadcaster.shutDown(5_000);
    expect(client.calls).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  test("after the deadline the rest is lost; later events are only logged", async () => {
    const { clock, client, recorder, broadcaster, outcomes, log } = setUp(() => new Promise(() => {}));
    recorder.event(claim(), "Normal", "Resizing", "x");
    const end = broadcaster.shutDown(5_000);
    await clock.advance(5_000);
    await end;
    recorder.event(claim("late"), "Normal", "Resizing", "x");
    expect(client.calls).toHaveLength(1);
    expect(await outcomes()).toBe("shutdown 2");
    expect(log.lines.filter((line) => line.message === "Event occurred")).toHaveLength(2);
  });
});
