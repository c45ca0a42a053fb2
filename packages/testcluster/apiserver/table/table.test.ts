import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { startApiServer } from "../api-server.ts";
import { humanDuration } from "./column.ts";
import { jsonPath } from "./columns.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test.each([
  [-5000, "<invalid>"],
  [0, "0s"],
  [119_000, "119s"],
  [5 * minute, "5m"],
  [5 * minute + 3000, "5m3s"],
  [100 * minute, "100m"],
  [250 * minute, "4h10m"],
  [30 * 60 * minute, "30h"],
  [3 * day + 5 * 60 * minute, "3d5h"],
  [400 * day, "400d"],
  [800 * day, "2y70d"],
])("an age of %d ms is %s", (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test.each([
  [".status.ready", true],
  [".metadata.labels['a.b/c']", "d"],
  [".nothing.here", undefined],
] as const)("the path %s", (path, value) => {
  expect(jsonPath(path)({ status: { ready: true }, metadata: { labels: { "a.b/c": "d" } } })).toBe(value);
});

describe("kubectl get", () => {
  test("prints claims and custom objects by their columns", async () => {
    const clock = new FakeClock();
    await using server = await startApiServer({ clock });
    const names = { plural: "widgets", kind: "Widget" };
    const printed = [
      { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
      { name: "Since", type: "date", jsonPath: ".status.since" },
    ];
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
      additionalPrinterColumns: printed,
    };
    server.seed([
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "c" },
        spec: { volumeName: "pv", storageClassName: "fast" },
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
      },
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "widgets.x.y" },
        spec: { group: "x.y", scope: "Cluster", names, versions: [version] },
      },
      {
        apiVersion: "x.y/v1",
        kind: "Widget",
        metadata: { name: "w" },
        status: { ready: true, since: new Date(clock.now()).toISOString() },
      },
    ]);
    await clock.advance(90_000);
    const table = async (path: string) => {
      const headers = {
        Authorization: `Bearer ${server.adminToken}`,
        Accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
      };
      const answer = await fetch(server.url + path, { headers, tls: { ca: server.caPem } });
      const { kind, columnDefinitions, rows } = JSON.parse(await answer.text());
      return [kind, columnDefinitions.map(({ name }: { name: string }) => name), rows.map(({ cells }: { cells: unknown[] }) => cells)];
    };
    expect(await table("/api/v1/persistentvolumeclaims")).toEqual([
      "Table",
      ["Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age", "VolumeMode"],
      [["c", "Bound", "pv", "1Gi", "RWO", "fast", "<unset>", "90s", "<unset>"]],
    ]);
    expect(await table("/apis/x.y/v1/widgets/w")).toEqual(["Table", ["Name", "Ready", "Since"], [["w", true, "90s"]]]);
  });
});
