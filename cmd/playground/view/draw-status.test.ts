import { describe, expect, test } from "bun:test";
import { draw } from "./draw-status.ts";
import { abnormalStatus, emptyStatus, growingStatus, noon, snapshotStatus, usedStatus, zonedStatus } from "./testing/statuses.ts";

const wide = { columns: 200, rows: 100, color: false };

describe("the live view", () => {
  test("shows a volume in use with phases and ages, in columns", () => {
    expect(draw(usedStatus, wide)).toEqual([
      "csi-sidecars (pid 10), 42 MB, 0.2 requests/s   hostpath.csi.k8s.io (pid 20), 1 volume",
      "",
      "CLAIM         PHASE  AGE  SIZE  VOLUME",
      "default/data  Bound  3m   1Gi   pvc-1",
      "",
      "VOLUME  PHASE  AGE  SIZE  CLAIM",
      "pvc-1   Bound  3m   1Gi   default/data",
      "",
      "ATTACHED VOLUME  PHASE     AGE  NODE",
      "pvc-1            Attached  60s  node-1",
      "",
      "EVENT                  AGE  ABOUT     MESSAGE",
      "ProvisioningSucceeded  2m   pvc/data  Successfully provisioned volume pvc-1",
    ]);
  });

  test("shows where volumes and nodes are, and a driver that is not ours", () => {
    const lines = draw(zonedStatus, wide);
    expect(lines[0]).toBe("csi-sidecars (pid 10), 42 MB, 0.2 requests/s   own.example.com, connected");
    expect(lines).toContain("pvc-1   Bound  3m   1Gi   zone-2    default/data");
    expect(lines).toContain("pvc-1            Attached  60s  node-1  zone-2");
  });

  test("shows what a claim has and what it requests, while they differ", () => {
    const lines = draw(growingStatus, wide);
    expect(lines).toContain("CLAIM         PHASE  AGE  SIZE  REQUESTED     ATTRIBUTES                   VOLUME");
    expect(lines).toContain("default/data  Bound  3m   1Gi   2Gi, growing  silver to gold, in progress  pvc-1");
  });

  test("shows snapshots and groups of them, where there are any", () => {
    const lines = draw(snapshotStatus, wide);
    expect(lines[0]).toBe(
      "csi-sidecars (pid 10), 42 MB, 0.2 requests/s   snapshot-controller (pid 30)   hostpath.csi.k8s.io (pid 20), 1 volume",
    );
    const from = lines.indexOf("SNAPSHOT            PHASE     AGE  SIZE  SOURCE  GROUP");
    expect(lines.slice(from, from + 6)).toEqual([
      "SNAPSHOT            PHASE     AGE  SIZE  SOURCE  GROUP",
      "default/before      Ready     60s  1Gi   data",
      "default/snapshot-1  Creating  0s         data    both",
      "",
      "GROUP SNAPSHOT  PHASE     AGE  CLAIMS",
      "default/both    Creating  0s   data",
    ]);
    expect(draw(usedStatus, wide).some((line) => line.includes("SNAPSHOT"))).toBe(false);
    const alone = { ...snapshotStatus, snapshots: snapshotStatus.snapshots.slice(0, 1) };
    expect(draw(alone, wide)).toContain("SNAPSHOT        PHASE  AGE  SIZE  SOURCE");
  });

  test("has the processes in as few lines as they fit in", () => {
    expect(draw(snapshotStatus, { columns: 80, rows: 40, color: false }).slice(0, 2)).toEqual([
      "csi-sidecars (pid 10), 42 MB, 0.2 requests/s   snapshot-controller (pid 30)",
      "hostpath.csi.k8s.io (pid 20), 1 volume",
    ]);
  });

  test("shows what is wrong with a volume", () => {
    const lines = draw(abnormalStatus, wide);
    expect(lines).toContain("VOLUME  PHASE  AGE  SIZE  CLAIM         CONDITION");
    expect(lines).toContain("pvc-1   Bound  3m   1Gi   default/data  Abnormal: the disk is failing");
    expect(draw(abnormalStatus, { ...wide, color: true }).join("\n")).toContain("\x1b[31mAbnormal\x1b[0m: the disk");
  });

  test("says first what is wrong with the playground itself", () => {
    expect(draw({ ...usedStatus, problem: "cluster.json cannot be written" }, wide)[0]).toBe("cluster.json cannot be written");
  });

  test("says what is not there", () => {
    expect(draw(emptyStatus, wide).filter((line) => line === "none")).toHaveLength(4);
  });

  test("says which process is down, how often it came back, and what is not known", () => {
    const [line] = draw(
      {
        ...emptyStatus,
        sidecar: { pid: 11, restarts: 1, memory: undefined, requestsPerSecond: 0 },
        driver: { name: "hostpath", process: { pid: undefined, restarts: 2 }, answers: false },
      },
      wide,
    );
    expect(line).toBe("csi-sidecars (pid 11) 1 restart, 0.0 requests/s   hostpath (down) 2 restarts, does not answer");
  });

  test("never leaves its frame", () => {
    const claims = Array.from({ length: 50 }, (_, i) => ({
      name: `default/${i}`,
      phase: "Pending",
      size: "1Gi",
      growth: "",
      attributes: "",
      volume: "",
      since: noon,
    }));
    const lines = draw({ ...usedStatus, claims }, { columns: 20, rows: 13, color: false });
    expect(lines).toHaveLength(13);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(lines).toContain("and 47 more");
  });

  test("shows the newest of everything where there is too much", () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      name: `pvc-${i}`,
      phase: "Bound",
      size: "1Gi",
      topology: "",
      abnormal: "",
      claim: "",
      since: noon - i,
    }));
    const lines = draw({ ...usedStatus, volumes: rows }, wide);
    expect(lines.some((line) => line.startsWith("pvc-0 "))).toBeTrue();
    expect(lines.some((line) => line.startsWith("pvc-9 "))).toBeFalse();
    expect(lines).toContain("and 3 more");
  });

  test("has room for the last events on a small terminal with three volumes in use", () => {
    const three = <Row>(rows: readonly Row[]) => rows.flatMap((row) => [row, row, row]);
    const { claims, volumes, attachments } = usedStatus;
    const events = usedStatus.events.flatMap((event) => Array.from({ length: 9 }, (_, i) => ({ ...event, message: `message ${i}` })));
    const busy = { ...usedStatus, claims: three(claims), volumes: three(volumes), attachments: three(attachments), events };
    const lines = draw(busy, { columns: 80, rows: 21, color: false });
    expect(lines.length).toBeLessThanOrEqual(21);
    expect(lines.at(-1)).toEndWith("message 8");
  });

  test("keeps what matters where there is little room", () => {
    const volume = "pvc-7a1871d7-3312-411c-8dd6-3f05c109521c";
    const claims = usedStatus.claims.map((claim) => ({ ...claim, volume }));
    const lines = draw({ ...usedStatus, claims }, { columns: 60, rows: 40, color: false });
    expect(lines.slice(0, 2)).toEqual(["csi-sidecars (pid 10), 42 MB, 0.2 requests/s", "hostpath.csi.k8s.io (pid 20), 1 volume"]);
    expect(lines).toContain("default/data  Bound  3m   1Gi   pvc-7a1871d7…");
  });

  test("has room for the last event where there are fifteen rows, and for its message where its object has a long name", () => {
    const two = <Row>(rows: readonly Row[]) => rows.flatMap((row) => [row, row]);
    const { claims, volumes, attachments } = usedStatus;
    const events = usedStatus.events.map((event) => ({ ...event, about: `Lease/${"long-".repeat(9)}`, message: "became leader" }));
    const busy = { ...usedStatus, claims: two(claims), volumes: two(volumes), attachments: two(attachments), events };
    const lines = draw(busy, { columns: 60, rows: 11, color: false });
    expect(lines.length).toBeLessThanOrEqual(11);
    expect(lines).toContain("2 Bound");
    expect(lines.at(-1)).toMatch(/lease\/long-lon… {2}became leader$/);
  });

  test("gives the lines that are left to the claims first: a count stands for rows only where there is no room for them", () => {
    const two = <Row>(rows: readonly Row[]) => rows.flatMap((row) => [row, row]);
    const { claims, volumes, attachments } = usedStatus;
    const busy = { ...usedStatus, claims: two(claims), volumes: two(volumes), attachments: two(attachments) };
    const [one, more] = [11, 12].map((rows) => draw(busy, { columns: 80, rows, color: false }));
    expect(one?.filter((line) => line === "2 Bound")).toHaveLength(1);
    expect(one?.filter((line) => line.startsWith("default/data"))).toHaveLength(2);
    expect(more?.filter((line) => line === "2 Bound")).toEqual([]);
    expect(more).toContain("2 Attached");
  });

  test("a long name leaves room for what is beside it", () => {
    const name = `default/snapshot-${"0123456789abcdef".repeat(4)}`;
    const snapshots = snapshotStatus.snapshots.map((row) => ({ ...row, name, group: "all-of-them" }));
    for (const columns of [80, 120]) {
      const lines = draw({ ...snapshotStatus, snapshots }, { columns, rows: 40, color: false });
      expect(lines.filter((line) => line.endsWith("all-of-them"))).toHaveLength(2);
    }
  });

  test("shows the control characters of foreign texts", () => {
    const events = usedStatus.events.map((event) => ({ ...event, message: "full\x1b[2J\r\nreally" }));
    const lines = draw({ ...usedStatus, events }, wide);
    expect(lines.at(-1)).toEndWith("full\\u001b[2J\\u000d really");
  });

  test("colors add no width", () => {
    const painted = draw(usedStatus, { ...wide, color: true });
    expect(painted.join("\n")).toContain("\x1b[32mBound\x1b[0m");
    expect(painted.map((line) => Bun.stripANSI(line))).toEqual([...draw(usedStatus, wide)]);
  });
});
