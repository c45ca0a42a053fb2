import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { RevocablePermit } from "@csi-sidecars/base/testing";
import type { DriverCallOptions, DriverCapabilities, DriverClient } from "@csi-sidecars/csi";
import { componentDriver } from "./component-driver.ts";
import { DriverCalls } from "./driver-calls.ts";
import type { DriverSession } from "./driver-session.ts";

/** The driver of a component, with the options that the connection is called with. */
function world() {
  const made: [method: string, options: DriverCallOptions][] = [];
  const unary = (method: string) => async (_: object, options: DriverCallOptions) => void made.push([method, options]);
  const client = {
    controller: { createVolume: unary("createVolume"), getCapacity: unary("getCapacity") },
    snapshotMetadata: {
      async *getMetadataDelta(_: object, options: DriverCallOptions) {
        yield made.push(["getMetadataDelta", options]);
      },
    },
  };
  const calls = new DriverCalls({ address: "unix:///csi.sock", identityTimeoutMs: 1_000, clock: systemClock });
  calls.reached({ client: client as unknown as DriverClient, capabilities: {} as DriverCapabilities });
  const [permit, log] = [new RevocablePermit(), silentLogger.named("a")];
  const driver = componentDriver({
    session: { address: "unix:///csi.sock", name: "driver.example.com", calls } as DriverSession,
    need: "ready",
    ends: new AbortController().signal,
    scope: { component: "a", run: (work) => work(), call: (work) => work(), watch: (promise) => promise },
    log,
    permit,
  });
  return { driver: driver.client, availability: calls.availability, made, permit, log };
}

test("calls that waited for the driver carry the component's logger, and its permit where they change something", async () => {
  const { driver, availability, made, permit, log } = world();
  const answers = [
    driver.controller.createVolume({ name: "v" }),
    driver.controller.getCapacity({}),
    Array.fromAsync(driver.snapshotMetadata.getMetadataDelta({})),
  ];
  expect(made).toEqual([]);
  availability.change(true);
  await Promise.all(answers);
  expect(new Map(made)).toEqual(
    new Map<string, DriverCallOptions>([
      ["createVolume", { log, permit }],
      ["getCapacity", { log }],
      ["getMetadataDelta", { log }],
    ]),
  );
});

test("a call that changes something does not wait for the driver without a permit", async () => {
  const { driver, made, permit } = world();
  permit.refused = new Error("leadership is no longer certain");
  expect(await driver.controller.createVolume({ name: "v" }).catch(String)).toContain(
    "createVolume was refused: leadership is no longer certain",
  );
  expect(made).toEqual([]);
});
