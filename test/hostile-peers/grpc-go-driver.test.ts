import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { Channel, ControllerDefinition, serviceClient } from "@csi-sidecars/csi";
import { failureOf } from "../../packages/csi/grpc/testing/failure.ts";
import { tempSocket } from "../../packages/csi/grpc/testing/temp-socket.ts";
import { goProgramPath } from "../go-program.ts";
import { RunningProgram } from "../running-program.ts";
import { goDriver } from "./go-driver/build.ts";

const program = goProgramPath(goDriver, process.env);
/** A clock of a process that is busy when its timers are due: the driver notices a deadline first. */
const lateTimers: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms + 2_000, run) };

const why = existsSync(program) ? "" : " (skipped: not built; run `npm run go-driver:build`, which needs Go)";

describe.skipIf(why !== "")(`a driver with grpc-go${why}`, () => {
  const open = new AsyncDisposableStack();
  let channel: Channel;

  beforeAll(async () => {
    const { path } = open.use(await tempSocket());
    const driver = open.use(new RunningProgram(program, [path], { env: {} }));
    await until(
      () => `the driver to listen\n${driver.output}`,
      () => existsSync(path),
    );
    channel = open.adopt(new Channel({ target: { kind: "unix", path }, clock: lateTimers }), (opened) => opened.close());
  });
  afterAll(() => open.disposeAsync());

  const publish = (volumeId: string, timeoutMs: number) =>
    serviceClient(ControllerDefinition, channel).controllerPublishVolume({ volumeId, nodeId: "node-1" }, { timeoutMs, waitForReady: true });
  const failure = (volumeId: string, timeoutMs = 20_000) => failureOf(publish(volumeId, timeoutMs)).then(({ message }) => message);
  const tooLate = expect.stringMatching(/^rpc error: code = DeadlineExceeded desc = /);

  test("has an error text of 60 KB heard whole", async () => {
    expect(await failure("fail-60000")).toBe(`rpc error: code = Internal desc = ${"x".repeat(60_000)}`);
  });

  test.each([70_000, 200_000])("with an error text of %d bytes loses that call alone", async (length) => {
    const neighbour = failure("hang", 1_000);
    expect(await failure(`fail-${length}`)).toContain("(perhaps its error message has more than 65536 bytes)");
    expect(await publish("works", 20_000)).toEqual({ publishContext: {} });
    expect(await neighbour).toEqual(tooLate);
    expect(channel.generation).toBe(1);
  });

  test("that honours deadlines has each call exceed its own, and none cancelled", async () => {
    const calls = await Promise.all(Array.from({ length: 100 }, () => failure("hang", 1_000)));
    expect(calls).toEqual(calls.map(() => tooLate));
  });
});
