import { expect, test } from "bun:test";
import { noteLines, roleHint } from "./notes.ts";

const away = "https://10.0.0.1: connection refused; check that it runs";

test("what could not be read for one reason is one line", () => {
  expect(noteLines([])).toEqual([]);
  expect(
    noteLines([
      `could not read events: ${away}`,
      "could not read Lease a/b: needs get on leases in namespace a",
      "the driver lists nothing",
      `could not read pods: ${away}`,
      `could not read volumes: ${away}`,
    ]),
  ).toEqual([
    `could not read events, pods and volumes: ${away}`,
    "could not read Lease a/b: needs get on leases in namespace a",
    "the driver lists nothing",
  ]);
});

test("a role helps where something is forbidden", () => {
  expect(roleHint([`could not read events: ${away}`, "something needs rest"], "why")).toEqual([]);
  expect(roleHint(["could not read pods: needs list on pods"], "audit")).toEqual([
    "csi-sidecars rbac --for=audit prints a role that reads all that is needed",
  ]);
});
