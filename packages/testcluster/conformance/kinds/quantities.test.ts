import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { volume, volumes } from "../testing/fixtures.ts";

const file = fileCluster(() => startCluster());

const quantities: readonly [given: string | number, stored: string][] = [
  ["1Gi", "1Gi"],
  ["1024Mi", "1Gi"],
  ["1536Mi", "1536Mi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Gi", "512Mi"],
  ["1073741824", "1073741824"],
  [1073741824, "1073741824"],
  [1.5, "1500m"],
  ["1000", "1k"],
  ["1000k", "1M"],
  ["1e3", "1e3"],
  ["1e9", "1e9"],
  ["12e6", "12e6"],
  ["1500m", "1500m"],
  ["1000m", "1"],
  ["0.1", "100m"],
  ["1.0", "1"],
  ["1Ki", "1Ki"],
  ["1025", "1025"],
  ["1Ti", "1Ti"],
  ["1024Gi", "1Ti"],
  ["9223372036854775807", "9223372036854775807"],
  ["8Ei", "9223372036854775807"],
  ["1u", "1m"],
  ["1n", "1m"],
  ["0.1n", "1m"],
  ["1.7Ki", "1740800m"],
];

test.each([...quantities])("%p", async (given, stored) => {
  const { code, body } = await file.admin.post(`${volumes}?dryRun=All`, volume("q", { capacity: { storage: given } }));
  expect(code === 201 ? body.spec.capacity.storage : `${code} ${body.message}`).toBe(stored);
});

test.each(["", "1 Gi", "1gi", "1.2.3", "--1", "1KB", "0x10", "1e", "NaN"])("%p is no quantity", async (given) => {
  const { code } = await file.admin.post(`${volumes}?dryRun=All`, volume("q", { capacity: { storage: given } }));
  expect(code).toBe(400);
});
