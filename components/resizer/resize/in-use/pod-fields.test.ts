import { expect, test } from "bun:test";
import { projectorFor, type V1Pod } from "@csi-sidecars/kube";
import { podFields } from "../../fields.ts";

test("nothing is kept of a pod beside what tells its claims", () => {
  const template = { spec: { resources: { requests: { storage: "1Gi" } } } };
  const pod = {
    metadata: { namespace: "ns", name: "web", uid: "u" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [
        { name: "scratch", ephemeral: { volumeClaimTemplate: template } },
        { name: "v-a", persistentVolumeClaim: { claimName: "a" } },
      ],
    },
    status: { phase: "Running" },
  };
  expect(JSON.parse(JSON.stringify(projectorFor(podFields)(pod as V1Pod)))).toEqual({
    metadata: { name: "web", namespace: "ns", uid: "u", resourceVersion: "" },
    spec: {
      volumes: [
        { name: "scratch", ephemeral: {} },
        { name: "v-a", persistentVolumeClaim: { claimName: "a" } },
      ],
    },
    status: { phase: "Running" },
  });
});
