import { describe, expect, test } from "bun:test";
import { Lease } from "../resources.ts";
import { reviewAccess } from "./access-review.ts";
import { serverVersion } from "./discovery.ts";
import { clientWorld } from "./testing/client-world.ts";
import { json } from "./testing/scripted-server.ts";

describe("discover", () => {
  const resources = [{ name: "volumeattachments", kind: "VolumeAttachment", namespaced: false, verbs: ["get"] }];
  test.each([
    ["v1", "/api/v1"],
    ["storage.k8s.io/v1", "/apis/storage.k8s.io/v1"],
  ])("%s is asked for at %s", async (groupVersion, path) => {
    await using world = await clientWorld((_request, response) => json(response, { kind: "APIResourceList", resources }));
    expect(await world.client.discover(groupVersion)).toEqual(resources);
    expect(world.requests[0]?.url).toBe(path);
  });

  test("a group version that is not served is undefined", async () => {
    await using world = await clientWorld((_request, response) => response.writeHead(404).end("404 page not found\n"));
    expect(await world.client.discover("snapshot.storage.k8s.io/v1")).toBeUndefined();
  });

  test("any other refusal is an error", async () => {
    await using world = await clientWorld((_request, response) => response.writeHead(403).end("no"));
    await expect(world.client.discover("v1")).rejects.toMatchObject({ status: { reason: "Forbidden" } });
  });
});

test("serverVersion asks /version", async () => {
  await using world = await clientWorld((_request, response) => json(response, { major: "1", minor: "36", gitVersion: "v1.36.3" }));
  expect((await serverVersion(world.client)).gitVersion).toBe("v1.36.3");
  expect(world.requests[0]?.url).toBe("/version");
});

test("reviewAccess asks about the client's own rights", async () => {
  await using world = await clientWorld((_request, response) => json(response, { status: { allowed: false, reason: "no rule" } }));
  const answer = await reviewAccess(world.client, { verb: "update", resource: Lease, namespace: "kube-system" });
  expect(answer).toEqual({ allowed: false, reason: "no rule" });
  expect(world.requests[0]?.url).toBe("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  expect(JSON.parse(world.requests[0]!.body).spec.resourceAttributes).toEqual({
    verb: "update",
    group: "coordination.k8s.io",
    version: "v1",
    resource: "leases",
    namespace: "kube-system",
  });
});
