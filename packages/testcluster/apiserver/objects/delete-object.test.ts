import { expect, test } from "bun:test";
import { startApiServer } from "../api-server.ts";
import { wire } from "../testing/wire.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, nodeName?: string) => ({
  metadata: { name },
  spec: { containers: [{ name: "app", image: "app" }], ...(nodeName && { nodeName }) },
});

test.each([
  ["with kubelets, a pod on a node", true, "n1", undefined, 30],
  ["with kubelets, a pod on a node that is deleted by force", true, "n1", { gracePeriodSeconds: 0 }, "gone"],
  ["with kubelets, a pod without a node", true, undefined, undefined, "gone"],
  ["without kubelets, a pod on a node", false, "n1", undefined, "gone"],
  ["without kubelets, a pod whose grace is asked for", false, "n1", { gracePeriodSeconds: 5 }, 5],
] as const)("%s", async (_, gracefulPods, node, options, expected) => {
  await using server = await startApiServer({ gracefulPods });
  const admin = wire(server, { token: server.adminToken });
  await admin.post(pods, pod("app", node));
  await admin.delete(`${pods}/app`, options);
  const { code, body } = await admin.get(`${pods}/app`);
  expect(code === 404 ? "gone" : body.metadata.deletionGracePeriodSeconds).toBe(expected);
});
