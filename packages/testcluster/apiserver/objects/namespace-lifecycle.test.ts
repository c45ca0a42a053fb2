import { expect, test } from "bun:test";
import { startApiServer } from "../api-server.ts";
import { wire } from "../testing/wire.ts";

test("a namespace waits for what is held in it", async () => {
  await using server = await startApiServer();
  const admin = wire(server, { token: server.adminToken });
  await admin.post("/api/v1/namespaces", { metadata: { name: "ns" } });
  const inside = "/api/v1/namespaces/ns/configmaps";
  await admin.post(inside, { metadata: { name: "free" } });
  await admin.post(inside, { metadata: { name: "held", finalizers: ["a.b/c"] } });
  expect((await admin.delete("/api/v1/namespaces/ns")).body.status.phase).toBe("Terminating");
  expect((await admin.post(inside, { metadata: { name: "late" } })).body.message).toContain("because it is being terminated");
  expect((await admin.get(inside)).body.items).toHaveLength(1);
  await admin.merge(`${inside}/held`, { metadata: { finalizers: null } });
  expect((await admin.get("/api/v1/namespaces/ns")).code).toBe(404);
});
