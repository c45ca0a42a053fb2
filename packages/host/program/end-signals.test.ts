import { expect, test } from "bun:test";
import { endSignals } from "./end-signals.ts";

test("the end of a console's session ends a process on Windows; elsewhere SIGHUP keeps its meaning", () => {
  expect(endSignals("win32").toSorted()).toEqual(["SIGBREAK", "SIGHUP", "SIGINT", "SIGTERM"]);
  expect(endSignals("linux").toSorted()).toEqual(["SIGINT", "SIGTERM"]);
});
