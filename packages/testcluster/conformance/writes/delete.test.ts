import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import {
  attachment,
  attachments,
  classes,
  configMap,
  lease,
  leases,
  maps,
  nodes,
  secrets,
  storageClass,
  volume,
  volumes,
} from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a delete is answered with the object, or with a Status",
    [
      [`POST ${volumes}`, volume("a"), "201"],
      [
        `DELETE ${volumes}/a`,
        undefined,
        "200",
        {
          kind: "PersistentVolume",
          "metadata.name": "a",
          "metadata.finalizers": ["kubernetes.io/pv-protection"],
          "metadata.deletionTimestamp": "<time>",
          "metadata.deletionGracePeriodSeconds": 0,
        },
      ],
      [`POST ${attachments}`, attachment("a"), "201"],
      [`DELETE ${attachments}/a`, undefined, "200", { kind: "VolumeAttachment", "metadata.deletionTimestamp": undefined }],
      [`POST ${classes}`, storageClass("a"), "201"],
      [`DELETE ${classes}/a`, undefined, "200", { kind: "StorageClass" }],
      [`POST ${leases}`, lease("a"), "201"],
      [
        `DELETE ${leases}/a`,
        undefined,
        "200",
        {
          "": {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Success",
            details: { name: "a", group: "coordination.k8s.io", kind: "leases", uid: "<uid>" },
          },
        },
      ],
      [`POST ${secrets}`, { metadata: { name: "a" } }, "201"],
      [
        `DELETE ${secrets}/a`,
        undefined,
        "200",
        {
          "": { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: { name: "a", kind: "secrets", uid: "<uid>" } },
        },
      ],
      [`POST ${nodes}`, { metadata: { name: "a" } }, "201"],
      [
        `DELETE ${nodes}/a`,
        undefined,
        "200",
        { "": { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: { name: "a", kind: "nodes", uid: "<uid>" } } },
      ],
    ],
  ],
  [
    "preconditions of a delete",
    [
      [`POST ${maps}`, configMap("pre"), "201"],
      [
        `DELETE ${maps}/pre`,
        { preconditions: { uid: "11111111-1111-1111-1111-111111111111" } },
        '409 Conflict: Operation cannot be fulfilled on ConfigMap "pre": the UID in the precondition (<uid>) does not match the UID in record (<uid>). The object might have been deleted and then recreated',
      ],
      [
        `DELETE ${maps}/pre`,
        { preconditions: { resourceVersion: "1" } },
        '409 Conflict: Operation cannot be fulfilled on ConfigMap "pre": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (<version>). The object might have been modified',
      ],
      [
        `DELETE ${maps}/pre`,
        { propagationPolicy: "Sometimes" },
        '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sometimes": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
      [`DELETE ${maps}/pre`, (last: { metadata: { uid: string } }) => ({ preconditions: { uid: last.metadata.uid } }), "200"],
    ],
  ],
  [
    "everything of a kind is deleted at once",
    [
      [`POST ${secrets}`, { metadata: { name: "one", labels: { set: "x" } } }, "201"],
      [`POST ${secrets}`, { metadata: { name: "two", labels: { set: "y" } } }, "201"],
      [`DELETE ${secrets}?labelSelector=set%3Dx`, undefined, "200", { kind: "SecretList" }],
      [`GET ${secrets}/one`, undefined, '404 NotFound: secrets "one" not found'],
      [`GET ${secrets}/two`, undefined, "200"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
