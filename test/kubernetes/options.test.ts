import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./options.ts";
import { allSets } from "./suite/sets.ts";

const here = import.meta.path;

test("the fast set runs with our sidecars unless something else is asked for", () => {
  expect(readOptions([], {})).toMatchObject({ sets: ["fast"], sidecars: "ours", driver: undefined, hold: false, limit: "1h" });
  expect(readOptions(["--set=slow,serial", "--parallel=3"], {})).toMatchObject({ sets: ["slow", "serial"], parallel: 3 });
  expect(readOptions(["--all"], {}).sets).toEqual(allSets);
});

test("another driver comes with its definition", () => {
  expect(readOptions([`--driver=${here}`, `--definition=${here}`], {})).toMatchObject({ driver: here, definition: here });
});

test.each([
  [["--set=quick"], {}, "--set: expected some of fast, features"],
  [["--parallel=0"], {}, "--parallel: expected a whole number above 0"],
  [["--limit=long"], {}, "--limit: expected a duration such as 30m"],
  [["--sidecars=theirs"], {}, "--sidecars: expected ours or peers"],
  [["--sidecars=peers"], {}, "set PEERS to the folder"],
  [["--sidecars=peers"], { PEERS: "/not/there" }, "PEERS: /not/there does not exist"],
  [["--sidecars=peers"], { PEERS: import.meta.dirname }, "has no csi-attacher, csi-provisioner"],
  [["--driver=/not/there", `--definition=${here}`], {}, "--driver: /not/there does not exist"],
  [[`--driver=${here}`], {}, "--driver and --definition go together"],
  [["--images=/not/there.tar"], {}, "--images: /not/there.tar does not exist"],
])("%j is refused", (args, env, message) => {
  expect(() => readOptions(args, env)).toThrow(message);
});

test("the socket of a driver is refused: the suite's pods need one that is deployed", () => {
  const folder = mkdtempSync(join(tmpdir(), "driver-"));
  const socket = join(folder, "csi.sock");
  try {
    using _server = Bun.listen({ unix: socket, socket: { data() {} } });
    expect(() => readOptions([`--driver=${socket}`, `--definition=${here}`], {})).toThrow(
      `--driver: ${socket} is neither a file nor a folder of manifests`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
