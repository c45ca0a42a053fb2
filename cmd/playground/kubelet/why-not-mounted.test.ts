import { expect, test } from "bun:test";
import type { Driver, DriverInfo } from "../driver/driver.ts";
import { whyNotMounted } from "./why-not-mounted.ts";

const own = (node?: DriverInfo["node"]) => ({ info: { name: "d", ...(node && { node }) } as DriverInfo });
const served = own({ id: "machine-7", segments: {}, limit: 0 });
const hostpath = { ...own(), hostpath: {} } as Driver;

test.each([
  ["the hostpath driver works for all nodes", hostpath, false, "node-2", undefined],
  ["a driver works for the node that it is on", served, false, "node-1", undefined],
  ["and for no other", served, false, "node-2", "the node service of d works for node-1 only, not for node-2"],
  ["a driver of controllers only", own(), false, "node-1", "d has no node service: NodeGetInfo is unimplemented"],
  ["asked for", served, true, "node-1", "the node service of d is not called, because of --controller-only"],
])("%s", (_, driver, controllerOnly, node, why) => {
  expect(whyNotMounted(driver, controllerOnly, node)).toBe(why);
});
