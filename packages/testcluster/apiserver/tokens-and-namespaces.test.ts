import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { startApiServer } from "./api-server.ts";
import { wire } from "./testing/wire.ts";

const core = "/api/v1/namespaces";

test("a token of a service account names it until it expires", async () => {
  const clock = new FakeClock();
  await using server = await startApiServer({ clock });
  const admin = wire(server, { token: server.adminToken });
  await admin.post(`${core}/default/serviceaccounts`, { metadata: { name: "robot" } });
  const { body } = await admin.post(`${core}/default/serviceaccounts/robot/token`, { spec: { expirationSeconds: 600 } });
  const robot = wire(server, { token: body.status.token });
  const review = () => robot.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  expect((await review()).body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
  await clock.advance(599_999);
  expect((await review()).code).toBe(201);
  await clock.advance(1);
  expect((await review()).code).toBe(401);
});

test("the content of a deleted namespace stays for a while, for clients that delete both", async () => {
  const clock = new FakeClock();
  await using server = await startApiServer({ clock, namespaceDelayMs: 5_000 });
  const admin = wire(server, { token: server.adminToken });
  await admin.post(core, { metadata: { name: "driver" } });
  await admin.post(`${core}/driver/configmaps`, { metadata: { name: "a" } });
  expect((await admin.delete(`${core}/driver`)).body.status.phase).toBe("Terminating");
  expect((await admin.post(`${core}/driver/configmaps`, { metadata: { name: "b" } })).code).toBe(403);
  expect((await admin.get(`${core}/driver/configmaps/a`)).code).toBe(200);
  await clock.advance(5_000);
  expect((await admin.get(`${core}/driver`)).code).toBe(404);

  await admin.post(core, { metadata: { name: "empty" } });
  await admin.delete(`${core}/empty`);
  expect((await admin.get(`${core}/empty`)).code).toBe(404);
});

test("the metrics count what is stored", async () => {
  await using server = await startApiServer();
  const admin = wire(server, { token: server.adminToken });
  await admin.post(`${core}/default/configmaps`, { metadata: { name: "a" } });
  expect((await admin.get("/metrics")).body).toContain('apiserver_storage_objects{resource="configmaps"} 1\n');
});
