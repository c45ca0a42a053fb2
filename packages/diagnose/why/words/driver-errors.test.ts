import { expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import type { VolumeOperation } from "@csi-sidecars/host";
import { responsibleFor, secretUnreadable } from "../testing/sidecars.ts";
import { explainError } from "./driver-errors.ts";

test("every code is explained for every operation, with what to do", () => {
  for (const operation of ["create", "delete", "attach", "detach", "expand", "modify"] satisfies VolumeOperation[]) {
    for (const code of Object.keys(Code)) {
      const { cause, remedy } = explainError(operation, `rpc error: code = ${code} desc = x`, responsibleFor);
      expect(cause).not.toContain("rpc error");
      expect(cause).toEndWith(`(${code})`);
      expect(remedy.length).toBeGreaterThan(5);
    }
  }
});

test.each<[VolumeOperation, string, string]>([
  ["create", secretUnreadable("s", 'secrets "s" not found'), "create that secret"],
  ["attach", secretUnreadable("s", 'secrets "s" not found'), "correct the reference to that secret"],
  ["create", secretUnreadable("s", 'secrets "s" is forbidden: User "u" cannot get'), "grant the driver's service account that permission"],
  ["create", 'volumeattributesclasses.storage.k8s.io "gold" not found', "create that VolumeAttributesClass"],
  ["attach", 'csinode.storage.k8s.io "n1" not found', "check that the node exists"],
  ["create", "anything else", "fix what the message says"],
])("what to do when to %s fails with %p", (operation, text, remedy) =>
  expect(explainError(operation, text, responsibleFor)).toEqual({ cause: text, remedy: expect.stringContaining(remedy) }),
);

test.each<VolumeOperation>(["create", "attach"])("an answer above our limit is not a lack of capacity (%s)", (operation) => {
  const text = "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5 vs. 4)";
  expect(explainError(operation, text, responsibleFor).cause).toBe(
    "the answer of the driver was larger than the sidecar accepts (ResourceExhausted)",
  );
});
