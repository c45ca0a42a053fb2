import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { Channel, Code, driverClient, GrpcError } from "@csi-sidecars/csi";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, GiB, named, snap } from "../testing/requests.ts";
import { type FaultRule, FaultRules, passes } from "./fault-rules.ts";
import { HeldCalls } from "./held-calls.ts";
import { patchResponse } from "./patch-response.ts";

describe("which calls a rule applies to", () => {
  const action = {};
  const times = (rule: FaultRule, requests: readonly object[], method = "CreateVolume") => {
    const book = new FaultRules();
    book.set([rule]);
    return requests.map((request) => book.take(method, { ...request }) !== undefined);
  };
  const three = [{ name: "a" }, { name: "b" }, { name: "a" }];
  test.each<[string, FaultRule, boolean[]]>([
    ["all of a method", { method: "CreateVolume", action }, [true, true, true]],
    ["all of another method", { method: "DeleteVolume", action }, [false, false, false]],
    ["every method", { method: "*", action }, [true, true, true]],
    ["so many times", { method: "*", times: 2, action }, [true, true, false]],
    ["after the first", { method: "*", skip: 1, action }, [false, true, true]],
    ["one after the first", { method: "*", skip: 1, times: 1, action }, [false, true, false]],
    ["those with a value", { method: "*", match: { name: "a" }, action }, [true, false, true]],
    ["those that match an expression", { method: "*", match: { name: { regex: "^[b-z]" } }, action }, [false, true, false]],
    ["never", { method: "*", probability: 0, action }, [false, false, false]],
    ["always", { method: "*", probability: 1, action }, [true, true, true]],
  ])("%s", (_, rule, expected) => {
    expect(times(rule, three)).toEqual(expected);
  });

  test("a seed repeats a random choice", () => {
    const many = Array.from({ length: 200 }, () => ({}));
    const chosen = (seed: number) => times({ method: "*", probability: 0.5, seed, action }, many);
    expect(chosen(7)).toEqual(chosen(7));
    expect(chosen(7)).not.toEqual(chosen(8));
    expect(chosen(7).filter(Boolean).length).toBeWithin(60, 140);
  });

  test("the first rule with uses left", () => {
    const book = new FaultRules();
    book.set([
      { name: "first", method: "*", times: 1, action },
      { name: "second", method: "*", action },
    ]);
    expect([1, 2, 3].map(() => book.take("Probe", {})?.name)).toEqual(["first", "second", "second"]);
  });

  test.each([
    [{ "volume_content_source.snapshot.snapshot_id": "s" }, true],
    [{ "parameters.kind": "fast" }, true],
    [{ "parameters.with.dots": "yes" }, true],
    [{ "parameters.none": "x" }, false],
    [{ "parameters.none": "" }, true],
    [{ readonly: true }, true],
    [{ size: 5 }, true],
  ])("%p", (match, expected) => {
    const request = {
      volume_content_source: { snapshot: { snapshot_id: "s" } },
      parameters: { kind: "fast", "with.dots": "yes" },
      readonly: true,
      size: 5,
    };
    expect(passes(request, match)).toBe(expected);
  });
});

describe("what a rule does", () => {
  const failOnce = (method: string, more: Partial<FaultRule> = {}): FaultRule => ({
    method,
    times: 1,
    action: { error: { code: "Internal", message: "injected" } },
    ...more,
  });

  test("an error before leaves nothing, an error after leaves the work done", async () => {
    await using world = await startWorld({ faults: [failOnce("CreateVolume"), failOnce("CreateVolume", { phase: "after" })] });
    const call = () => outcome(world.client.controller.createVolume(named("a")));
    expect(await call()).toBe("Internal: injected");
    expect(world.driver.state.volumes).toHaveLength(0);
    expect(await call()).toBe("Internal: injected");
    expect(world.driver.state.volumes).toHaveLength(1);
    expect(await call()).toBe("OK");
    expect(world.driver.state.volumes).toHaveLength(1);
    expect(world.driver.calls.of("CreateVolume").map(({ rule, code }) => [rule, code])).toEqual([
      ["rule 1", 13],
      ["rule 2", 13],
      [undefined, 0],
    ]);
  });

  test("a delay holds the call back", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({ clock, faults: [{ method: "Probe", action: { delayMs: 500 } }] });
    let done = false;
    const call = world.client.identity.probe({}).then(() => {
      done = true;
    });
    await until("the call is under way", () => world.driver.calls.of("Probe").length === 1);
    await clock.advance(499);
    expect(done).toBe(false);
    await clock.advance(1);
    await call;
  });

  test("a delay with an error holds the call back, then fails it", async () => {
    const clock = new FakeClock();
    const action = { delayMs: 500, error: { code: "Unavailable", message: "slow and gone" } } as const;
    await using world = await startWorld({ clock, faults: [{ method: "CreateVolume", action }] });
    const call = outcome(world.client.controller.createVolume(named("a")));
    await until("the call is under way", () => world.driver.calls.of("CreateVolume").length === 1);
    await clock.advance(500);
    expect(await call).toBe("Unavailable: slow and gone");
    expect(world.driver.state.volumes).toEqual([]);
  });

  test.each(["released", "deadline", "cancelled"] as const)("a held call ends when it is %s", async (how) => {
    await using world = await startWorld({ faults: [{ method: "CreateVolume", times: 1, action: { hang: true } }] });
    const abort = new AbortController();
    const options = how === "deadline" ? { timeoutMs: 50 } : { signal: abort.signal };
    const call = outcome(world.client.controller.createVolume(named("a"), options));
    const held = await until("the call is held", () => world.driver.held.sequences[0]);
    if (how === "released") expect(world.driver.held.release(held)).toBe(true);
    if (how === "cancelled") abort.abort();
    expect(await call).toStartWith({ released: "OK", deadline: "DeadlineExceeded", cancelled: "Canceled" }[how]);
    const record = await until("it is recorded", () => world.driver.calls.of("CreateVolume").find(({ endNs }) => endNs));
    // Of the two ends of a deadline, the driver may hear of the client's first.
    expect(how === "deadline" ? ["deadline", "cancelled"] : [how]).toContain(record.held!);
    expect(world.driver.state.volumes).toHaveLength(how === "released" ? 1 : 0);
    expect(world.driver.held.release(held)).toBe(false);
  });

  test("a held call knows a deadline from a client that gave up", async () => {
    const held = new HeldCalls();
    const ends = (reason: Error) => held.hold(1, AbortSignal.abort(reason));
    expect(await ends(new GrpcError(Code.DeadlineExceeded, "late"))).toBe("deadline");
    expect(await ends(new GrpcError(Code.Canceled, "gone"))).toBe("cancelled");
    expect(held.sequences).toEqual([]);
  });

  test("work in the background: refused until it is done, then found done", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({
      clock,
      faults: [{ method: "CreateSnapshot", action: { background: { doneAfterMs: 1_000, code: "Aborted" } } }],
    });
    const sourceVolumeId = await create(world, named("a"));
    const call = () => outcome(world.client.controller.createSnapshot({ name: "s", sourceVolumeId }));
    expect(await call()).toBe("Aborted: CreateSnapshot is still in progress");
    await until("the work is done", () => world.driver.state.snapshots.length === 1);
    const [made] = world.driver.state.snapshots;
    expect(await call()).toStartWith("Aborted");
    await clock.advance(1_000);
    expect(await snap(world, "s", sourceVolumeId)).toBe(made!.id);
    expect(world.driver.state.snapshots).toHaveLength(1);
  });

  test("an answer is changed on its way", async () => {
    const patch = { volume: { capacity_bytes: 5, content_source: null, volume_context: { extra: "1" } } };
    await using world = await startWorld({ faults: [{ method: "CreateVolume", action: { patchResponse: patch } }] });
    const { volume } = await world.client.controller.createVolume({ ...named("a"), parameters: { p: "1" } });
    expect(volume).toMatchObject({ capacityBytes: 5n, volumeContext: { p: "1", extra: "1" } });
    expect(world.driver.state.volumes[0]?.size).toBe(GiB);
    expect(patchResponse({ snapshot: { readyToUse: true } }, { snapshot: { ready_to_use: false } })).toEqual({
      snapshot: { readyToUse: false },
    });
  });

  test("a dropped connection is a loss, and the next call finds the driver again", async () => {
    await using world = await startWorld({
      faults: [{ method: "CreateVolume", times: 1, phase: "after", action: { dropConnection: true } }],
    });
    expect(await outcome(world.client.controller.createVolume(named("a")))).toStartWith("Unavailable");
    expect(await outcome(world.client.controller.createVolume(named("a"), { waitForReady: true, timeoutMs: 5_000 }))).toBe("OK");
    expect(world.driver.state.volumes).toHaveLength(1);
  });

  test("only the connection of the call is dropped", async () => {
    await using world = await startWorld({
      faults: [
        { method: "CreateVolume", action: { hang: true } },
        { method: "Probe", action: { dropConnection: true } },
      ],
    });
    const other = new Channel({ target: world.driver.target });
    const held = outcome(driverClient(other).controller.createVolume(named("a")));
    const sequence = await until("the call is held", () => world.driver.held.sequences[0]);
    expect(await outcome(world.client.identity.probe({}))).toStartWith("Unavailable");
    world.driver.held.release(sequence);
    expect(await held).toBe("OK");
    other.close();
  });

  test("a stream is cut off", async () => {
    await using world = await startWorld({
      snapshotMetadata: true,
      faults: [{ method: "GetMetadataAllocated", action: { corruptStream: { messages: 1, code: "DataLoss", message: "cut" } } }],
    });
    const id = await create(world, { ...named("a"), volumeCapabilities: [block()], capacityRange: { requiredBytes: 5n * 4096n } });
    await writeFile(`${world.stateDir}/${id}`, Buffer.alloc(5 * 4096, 1));
    const snapshotId = await snap(world, "s", id);
    const seen: number[] = [];
    const read = async () => {
      for await (const { blockMetadata } of world.client.snapshotMetadata.getMetadataAllocated({ snapshotId, maxResults: 2 }))
        seen.push(blockMetadata.length);
    };
    expect(await outcome(read())).toBe("DataLoss: cut");
    expect(seen).toEqual([2]);
  });
});
