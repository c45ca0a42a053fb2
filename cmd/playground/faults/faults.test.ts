import { expect, test } from "bun:test";
import type { FaultRule } from "@csi-sidecars/hostpath";
import type { Relay } from "@csi-sidecars/testcluster";
import type { OurDriver } from "../driver/driver.ts";
import { activeFaults, type Fault, faultsOf, toggle } from "./faults.ts";

function fakeRelay() {
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  const later = (what: string) => async () => void done.push(what);
  const relay = { close: later("close"), open: later("open"), freeze: note("freeze"), thaw: note("thaw") };
  return { done, relay: relay as unknown as Relay };
}

/** A driver whose process and rules are plain data. */
function fakeHostpath() {
  let rules: readonly FaultRule[] = [{ volume: "v", condition: { abnormal: true } }];
  let wanted = true;
  const process = {
    get wanted() {
      return wanted;
    },
    stop: async () => {
      wanted = false;
    },
    start: () => {
      wanted = true;
    },
  };
  const control = {
    rules: async () => rules,
    setRules: async (given: readonly FaultRule[]) => {
      rules = given;
    },
  };
  return { rules: () => rules, hostpath: { process, control } as unknown as OurDriver };
}

const named = (faults: readonly Fault[], key: string): Fault => {
  const found = faults.find((fault) => fault.key === key);
  if (!found) throw new Error(`no fault has the key ${key}`);
  return found;
};
const active = async (faults: readonly Fault[]) => (await activeFaults(faults)).map(({ name }) => name);

test("a fault of the driver begins and ends, and leaves its conditions alone", async () => {
  const { hostpath, rules } = fakeHostpath();
  const faults = faultsOf({ apiServer: fakeRelay().relay, hostpath });
  expect(await toggle(named(faults, "w"))).toBe("driver slow: each call takes 5 s, until w again");
  expect(await active(faults)).toEqual(["driver slow"]);
  expect(rules()).toContainEqual({ volume: "v", condition: { abnormal: true } });
  await toggle(named(faults, "f"));
  expect(await active(faults)).toEqual(["driver refusing"]);
  expect(await toggle(named(faults, "f"))).toBe("driver refusing: over");
  expect(rules()).toEqual([{ volume: "v", condition: { abnormal: true } }]);
});

test("a dead driver is started again", async () => {
  const { hostpath } = fakeHostpath();
  const faults = faultsOf({ apiServer: fakeRelay().relay, hostpath });
  await toggle(named(faults, "x"));
  expect(await active(faults)).toEqual(["driver dead"]);
  await toggle(named(faults, "x"));
  expect(await active(faults)).toEqual([]);
});

test("the user's own driver hangs or is cut off, and the API server too", async () => {
  const [server, driver] = [fakeRelay(), fakeRelay()];
  const faults = faultsOf({ apiServer: server.relay, ownDriver: driver.relay });
  for (const key of ["w", "x", "a"]) await toggle(named(faults, key));
  expect(await active(faults)).toEqual(["driver hung", "driver cut off", "API server cut off"]);
  for (const key of ["w", "x", "a"]) await toggle(named(faults, key));
  expect(await active(faults)).toEqual([]);
  expect([driver.done, server.done]).toEqual([
    ["freeze", "close", "thaw", "open"],
    ["close", "open"],
  ]);
});
