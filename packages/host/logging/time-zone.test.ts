import { expect, test } from "bun:test";
import { isUtc } from "./time-zone.ts";

const link = (target: string) => () => target;
const fails = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test.each([
  ["TZ says so", { TZ: "UTC" }, link("Europe/Berlin"), true],
  ["TZ is empty", { TZ: "" }, link("Europe/Berlin"), true],
  ["TZ names a file", { TZ: ":/usr/share/zoneinfo/Etc/UTC" }, link("x"), true],
  ["TZ names a place", { TZ: "Europe/Berlin" }, link("/usr/share/zoneinfo/UTC"), false],
  ["the system's zone is UTC", {}, link("/usr/share/zoneinfo/Etc/UTC"), true],
  ["the system's zone is elsewhere", {}, link("/usr/share/zoneinfo/America/Lima"), false],
  ["the system has no zone", {}, fails("ENOENT"), true],
  ["the zone is a file of unknown content", {}, fails("EINVAL"), false],
])("%s", (_, env, readLink, utc) => {
  expect(isUtc(env, readLink)).toBe(utc);
});
