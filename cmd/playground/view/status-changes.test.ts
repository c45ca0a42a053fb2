import { describe, expect, test } from "bun:test";
import { changes } from "./status-changes.ts";
import { emptyStatus, usedStatus, zonedStatus } from "./testing/statuses.ts";

describe("plain lines", () => {
  test("begin with everything that is there, and say how long ago events were that are remembered", () => {
    expect(changes(undefined, usedStatus)).toEqual([
      "claim default/data Bound (pvc-1)",
      "volume pvc-1 Bound (default/data)",
      "attachment pvc-1 on node-1 Attached",
      "event ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1 (2m ago)",
      "csi-sidecars runs as process 10",
      "driver runs as process 20",
    ]);
  });

  test("are silent while nothing happens", () => {
    expect(changes(usedStatus, { ...usedStatus, at: usedStatus.at + 1_000 })).toEqual([]);
  });

  test("tell the end of things, and of processes", () => {
    expect(
      changes(usedStatus, {
        ...emptyStatus,
        driver: { ...emptyStatus.driver, process: { pid: undefined, restarts: 0 }, answers: false },
      }),
    ).toEqual(["claim default/data is gone", "volume pvc-1 is gone", "attachment pvc-1 on node-1 is gone", "driver is down"]);
  });

  test("tell where a volume is, and whether a driver that is not ours answers", () => {
    expect(changes(undefined, zonedStatus)).toContain("volume pvc-1 Bound (default/data) in zone-2");
    const away = { ...zonedStatus, driver: { ...zonedStatus.driver, answers: false } };
    expect(changes(zonedStatus, away)).toEqual(["driver own.example.com does not answer"]);
    expect(changes(away, away)).toEqual([]);
  });

  test("tell a problem of the playground once", () => {
    const troubled = { ...usedStatus, problem: "cluster.json cannot be written" };
    expect(changes(usedStatus, troubled)).toEqual(["cluster.json cannot be written"]);
    expect(changes(troubled, troubled)).toEqual([]);
  });

  test("tell an event again when it happens again", () => {
    const events = usedStatus.events.map((event) => ({ ...event, key: "e 2", warning: true, count: 2 }));
    expect(changes(usedStatus, { ...usedStatus, events })).toEqual([
      "warning ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1",
    ]);
  });
});
