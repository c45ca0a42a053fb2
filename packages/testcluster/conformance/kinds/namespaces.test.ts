import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { configMap, namespaces } from "../testing/fixtures.ts";
import { follow, outcomeOf } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const leaving = `${namespaces}/leaving`;

test("a namespace that is being deleted takes nothing new, and waits for what is held in it", async () => {
  await follow(file.admin, [
    [`POST ${namespaces}`, { metadata: { name: "leaving" } }, "201", { "status.phase": "Active" }],
    [`POST ${leaving}/configmaps`, configMap("held", {}, { finalizers: ["example.com/hold"] }), "201"],
    [`DELETE ${leaving}`, undefined, "200", { kind: "Namespace", "status.phase": "Terminating", "metadata.deletionTimestamp": "<time>" }],
    [`GET ${leaving}`, undefined, "200", { "status.phase": "Terminating" }],
    [`MERGE ${leaving}/configmaps/held`, { data: { still: "writable" } }, "200"],
    [`DELETE ${leaving}`, undefined, "200"],
  ]);
  const refused = await until("a refusal", async () => {
    const answer = await file.admin.post(`${leaving}/configmaps?dryRun=All`, configMap("new"));
    return answer.code !== 201 && answer;
  });
  expect(outcomeOf(refused)).toBe(
    '403 Forbidden: configmaps "new" is forbidden: unable to create new content in namespace leaving because it is being terminated',
  );
  expect(refused.body.details.causes).toEqual([
    { reason: "NamespaceTerminating", message: "namespace leaving is being terminated", field: "metadata.namespace" },
  ]);
});

test.each(["default", "kube-system", "kube-public"])("%s cannot be deleted", async (name) => {
  expect(outcomeOf(await file.admin.delete(`${namespaces}/${name}`))).toBe(
    `403 Forbidden: namespaces "${name}" is forbidden: this namespace may not be deleted`,
  );
});
