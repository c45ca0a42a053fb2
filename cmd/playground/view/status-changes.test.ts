import { describe, expect, test } from "bun:test";
import { changes } from "./status-changes.ts";
import { abnormalStatus, emptyStatus, growingStatus, noon, snapshotStatus, usedStatus, zonedStatus } from "./testing/statuses.ts";

describe("plain lines", () => {
  test("start with everything that exists, with the age of older events", () => {
    expect(changes(undefined, usedStatus)).toEqual([
      "csi-sidecars runs as process 10",
      "driver runs as process 20",
      "event ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1 (2m ago)",
      "claim default/data Bound (pvc-1), 1Gi",
      "volume pvc-1 Bound (default/data), 1Gi",
      "attachment pvc-1 on node-1 Attached",
    ]);
  });

  test("are not printed while nothing changes", () => {
    expect(changes(usedStatus, { ...usedStatus, at: usedStatus.at + 1_000 })).toEqual([]);
  });

  test("report deleted objects and ended processes", () => {
    expect(
      changes(usedStatus, {
        ...emptyStatus,
        driver: { ...emptyStatus.driver, process: { pid: undefined, restarts: 0 }, answers: false },
      }),
    ).toEqual(["driver is down", "claim default/data is gone", "volume pvc-1 is gone", "attachment pvc-1 on node-1 is gone"]);
  });

  test("report the topology of a volume, and whether the user's own driver answers", () => {
    expect(changes(undefined, zonedStatus)).toContain("volume pvc-1 Bound (default/data) in zone-2, 1Gi");
    const away = { ...zonedStatus, driver: { ...zonedStatus.driver, answers: false } };
    expect(changes(zonedStatus, away)).toEqual(["driver own.example.com does not answer"]);
    expect(changes(away, away)).toEqual([]);
  });

  test("report a claim that grows and changes its class", () => {
    expect(changes(usedStatus, growingStatus)).toEqual([
      "claim default/data Bound (pvc-1), 1Gi, requested 2Gi, growing, attributes silver to gold, in progress",
    ]);
  });

  test("report a volume that becomes abnormal, and its recovery", () => {
    expect(changes(usedStatus, abnormalStatus)).toEqual(["volume pvc-1 Bound (default/data), 1Gi, abnormal: the disk is failing"]);
    expect(changes(abnormalStatus, abnormalStatus)).toEqual([]);
    expect(changes(abnormalStatus, usedStatus)).toEqual(["volume pvc-1 Bound (default/data), 1Gi"]);
  });

  test("report snapshots, groups of them and the process that binds them", () => {
    expect(changes(usedStatus, snapshotStatus)).toEqual([
      "snapshot-controller runs as process 30",
      "snapshot default/snapshot-1 Creating (data), of the group both",
      "group snapshot default/both Creating (data)",
      "snapshot default/before Ready (data), 1Gi",
    ]);
    expect(changes(snapshotStatus, usedStatus)).toEqual([
      "snapshot default/before is gone",
      "snapshot default/snapshot-1 is gone",
      "group snapshot default/both is gone",
    ]);
  });

  test("say first what begins, then what is said of it, then what has become of it", () => {
    const [claim] = usedStatus.claims.map((row) => ({ ...row, name: "default/new", phase: "Pending", volume: "" }));
    const claims = [...usedStatus.claims, ...(claim ? [claim] : [])];
    expect(changes(emptyStatus, { ...usedStatus, claims }).map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      ...["claim default/new Pending,", "event ProvisioningSucceeded PersistentVolumeClaim/data:"],
      ...["claim default/data Bound", "volume pvc-1 Bound", "attachment pvc-1 on"],
    ]);
  });

  test("report the pods and what becomes of their volumes", () => {
    const pod = { name: "default/app", phase: "Pending", node: "node-1", volumes: "wait to be mounted", since: noon };
    const waiting = { ...usedStatus, pods: [pod] };
    expect(changes(usedStatus, waiting)).toEqual(["pod default/app Pending on node-1, volumes wait to be mounted"]);
    const running = { ...usedStatus, pods: [{ ...pod, phase: "Running", volumes: "mounted" }] };
    expect(changes(waiting, running)).toEqual(["pod default/app Running on node-1, volumes mounted"]);
  });

  test("show control characters of foreign texts as escapes", () => {
    const events = usedStatus.events.map((event) => ({ ...event, key: "e 3", message: "no\x1b[2Jdisk" }));
    expect(changes(usedStatus, { ...usedStatus, events }).join()).not.toContain("\x1b");
  });

  test("report what the keys have let go wrong, and its end", () => {
    const slow = { ...usedStatus, faults: ["driver slow: each call takes 5 s (w ends it)"] };
    expect(changes(usedStatus, slow)).toEqual(["fault driver slow: each call takes 5 s (w ends it)"]);
    expect(changes(slow, slow)).toEqual([]);
    expect(changes(slow, usedStatus)).toEqual(["fault over: driver slow"]);
  });

  test("report a problem of the playground once", () => {
    const troubled = { ...usedStatus, problem: "cluster.json cannot be written" };
    expect(changes(usedStatus, troubled)).toEqual(["cluster.json cannot be written"]);
    expect(changes(troubled, troubled)).toEqual([]);
  });

  test("report an event again when it is repeated", () => {
    const events = usedStatus.events.map((event) => ({ ...event, key: "e 2", warning: true, count: 2 }));
    expect(changes(usedStatus, { ...usedStatus, events })).toEqual([
      "warning ProvisioningSucceeded PersistentVolumeClaim/data: Successfully provisioned volume pvc-1",
    ]);
  });
});
