import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driverData } from "../deploy/driver-data.ts";
import { leftBehind } from "./left-behind.ts";

test("objects and data of the driver that tests left behind are failures", async () => {
  expect(
    await leftBehind(
      () => "",
      () => [],
      0,
    ),
  ).toEqual([]);
  const found = await leftBehind(
    () => "persistentvolume/pvc-1\n",
    () => ["0a1b2c3d-volume"],
    0,
  );
  expect(found.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["persistentvolume/pvc-1", "failed"],
    ["data of the driver: 0a1b2c3d-volume", "failed"],
  ]);
});

test("what is of no volume and no snapshot is no data that was left behind", () => {
  const folder = mkdtempSync(join(tmpdir(), "data-"));
  try {
    mkdirSync(join(folder, "0a1b2c3d-0000"));
    writeFileSync(join(folder, "1a1b2c3d-0000.snap"), "");
    writeFileSync(join(folder, "state.json"), "");
    expect(driverData(folder).sort()).toEqual(["0a1b2c3d-0000", "1a1b2c3d-0000.snap"]);
    expect(driverData(join(folder, "not-there"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
