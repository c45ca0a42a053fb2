import { describe, expect, test } from "bun:test";
import { emptyPicture, noon, usedPicture } from "./testing/pictures.ts";
import { draw } from "./view.ts";

const wide = { columns: 200, rows: 100, color: false };

describe("the live view", () => {
  test("shows a volume in use with phases and ages, in columns", () => {
    expect(draw(usedPicture, wide)).toEqual([
      "csi-sidecars (pid 10), 42 MB, 0.2 requests/s   driver (pid 20), 1 volume",
      "",
      "CLAIM         PHASE  SIZE  VOLUME  AGE",
      "default/data  Bound  1Gi   pvc-1   3m",
      "",
      "VOLUME  PHASE  SIZE  CLAIM         AGE",
      "pvc-1   Bound  1Gi   default/data  3m",
      "",
      "ATTACHED VOLUME  PHASE     NODE    AGE",
      "pvc-1            Attached  node-1  60s",
      "",
      "EVENT                  ABOUT                       AGE  MESSAGE",
      "ProvisioningSucceeded  PersistentVolumeClaim/data  2m   Successfully provisioned volume pvc-1",
    ]);
  });

  test("says what is not there", () => {
    expect(draw(emptyPicture, wide).filter((line) => line === "none")).toHaveLength(4);
  });

  test("says which process is down, how often it came back, and what is not known", () => {
    const [line] = draw(
      {
        ...emptyPicture,
        sidecar: { pid: 11, restarts: 1, memory: undefined, requestsPerSecond: 0 },
        driver: { pid: undefined, restarts: 2, volumes: undefined },
      },
      wide,
    );
    expect(line).toBe("csi-sidecars (pid 11) 1 restart, 0.0 requests/s   driver (down) 2 restarts, does not answer");
  });

  test("never leaves its frame", () => {
    const claims = Array.from({ length: 50 }, (_, i) => ({ name: `default/${i}`, phase: "Pending", size: "1Gi", volume: "", since: noon }));
    const lines = draw({ ...usedPicture, claims }, { columns: 20, rows: 12, color: false });
    expect(lines).toHaveLength(12);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(lines).toContain("and 42 more");
  });

  test("colors add no width", () => {
    const painted = draw(usedPicture, { ...wide, color: true });
    expect(painted.join("\n")).toContain("\x1b[32mBound\x1b[0m");
    expect(painted.map((line) => Bun.stripANSI(line))).toEqual([...draw(usedPicture, wide)]);
  });
});
