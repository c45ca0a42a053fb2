import { describe, expect, test } from "bun:test";
import { changes } from "./changes.ts";
import { emptyPicture, usedPicture, zonedPicture } from "./testing/pictures.ts";

describe("plain lines", () => {
  test("begin with everything that is there, and say how long ago events were that are remembered", () => {
    expect(changes(undefined, usedPicture)).toEqual([
      "claim default/data Bound (pvc-1)",
      "volume pvc-1 Bound (default/data)",
      "attachment pvc-1 on node-1 Attached",
      "event ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1 (2m ago)",
      "csi-sidecars runs as process 10",
      "driver runs as process 20",
    ]);
  });

  test("are silent while nothing happens", () => {
    expect(changes(usedPicture, { ...usedPicture, at: usedPicture.at + 1_000 })).toEqual([]);
  });

  test("tell the end of things, and of processes", () => {
    expect(
      changes(usedPicture, {
        ...emptyPicture,
        driver: { ...emptyPicture.driver, process: { pid: undefined, restarts: 0 }, answers: false },
      }),
    ).toEqual(["claim default/data is gone", "volume pvc-1 is gone", "attachment pvc-1 on node-1 is gone", "driver is down"]);
  });

  test("tell where a volume is, and whether a driver that is not ours answers", () => {
    expect(changes(undefined, zonedPicture)).toContain("volume pvc-1 Bound (default/data) in zone-2");
    const away = { ...zonedPicture, driver: { ...zonedPicture.driver, answers: false } };
    expect(changes(zonedPicture, away)).toEqual(["driver own.example.com does not answer"]);
    expect(changes(away, away)).toEqual([]);
  });

  test("tell a problem of the playground once", () => {
    const troubled = { ...usedPicture, problem: "cluster.json cannot be written" };
    expect(changes(usedPicture, troubled)).toEqual(["cluster.json cannot be written"]);
    expect(changes(troubled, troubled)).toEqual([]);
  });

  test("tell an event again when it happens again", () => {
    const events = usedPicture.events.map((event) => ({ ...event, key: "e 2", warning: true, count: 2 }));
    expect(changes(usedPicture, { ...usedPicture, events })).toEqual([
      "warning ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1",
    ]);
  });
});
