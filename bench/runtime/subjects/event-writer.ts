// Writes watch lines to standard output as fast as they are taken: a list of `objects` volumes, then `events` changes to them.
import { writeSync } from "node:fs";
import { attachedVolume } from "../../shared/volumes.ts";

const { objects, events }: { readonly objects: number; readonly events: number } = JSON.parse(process.argv[2] ?? "{}");

/** As a server keeps them for a volume that two controllers have written. */
const managedFields = ["csi-provisioner", "kube-controller-manager"].map((manager) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: {
    "f:metadata": { "f:annotations": { ".": {}, "f:pv.kubernetes.io/provisioned-by": {} }, "f:finalizers": { ".": {}, 'v:"x"': {} } },
    "f:spec": Object.fromEntries(
      ["accessModes", "capacity", "claimRef", "csi", "nodeAffinity", "storageClassName", "volumeMode"].map((field) => [
        `f:${field}`,
        { ".": {} },
      ]),
    ),
  },
}));
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const volume = (type: string, index: number, version: number) => {
  const { metadata, ...rest } = attachedVolume(index).volume;
  const meta = {
    ...metadata,
    uid: `uid-${index}`,
    resourceVersion: `${version}`,
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields,
  };
  return line(type, { kind: "PersistentVolume", apiVersion: "v1", metadata: meta, ...rest, status: { phase: "Bound" } });
};
const write = (text: string) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};

// The reader closes the pipe when it has enough.
process.on("uncaughtException", () => process.exit(0));
for (let index = 0; index < objects; index++) write(volume("ADDED", index, index + 1));
const end = { resourceVersion: `${objects}`, annotations: { "k8s.io/initial-events-end": "true" } };
write(line("BOOKMARK", { kind: "PersistentVolume", apiVersion: "v1", metadata: end }));
// Two texts for all rounds, with different resource versions: rendering lines must not limit the rate.
const rounds = [0, 1].map((round) =>
  Array.from({ length: objects }, (_, index) => volume("MODIFIED", index, 1_000_000 * (round + 1) + index)).join(""),
);
for (let written = 0, round = 0; written < events; written += objects, round++) write(rounds[round % 2] ?? "");
