import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { claim, claims } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a claim gets defaults",
    [
      [
        `POST ${claims}`,
        claim("new"),
        "201",
        {
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
            storageClassName: "fast",
            volumeMode: "Filesystem",
          },
          status: { phase: "Pending" },
        },
      ],
      [
        `POST ${claims}`,
        claim("block", { volumeMode: "Block", storageClassName: "" }),
        "201",
        {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "", volumeMode: "Block" },
        },
      ],
      [`POST ${claims}`, claim("unclassed", { storageClassName: undefined }), "201", { "spec.storageClassName": undefined }],
      [
        `POST ${claims}`,
        claim("source", { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" } }),
        "201",
        {
          "spec.dataSource": { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
          "spec.dataSourceRef": { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
        },
      ],
      [
        `POST ${claims}`,
        claim("ref", { dataSourceRef: { kind: "PersistentVolumeClaim", name: "s" } }),
        "201",
        {
          "spec.dataSource": { apiGroup: null, kind: "PersistentVolumeClaim", name: "s" },
          "spec.dataSourceRef": { apiGroup: null, kind: "PersistentVolumeClaim", name: "s" },
        },
      ],
      [
        `POST ${claims}`,
        claim("foreign", { dataSourceRef: { apiGroup: "example.com", kind: "Thing", name: "s" } }),
        "201",
        {
          "spec.dataSource": { apiGroup: "example.com", kind: "Thing", name: "s" },
          "spec.dataSourceRef": { apiGroup: "example.com", kind: "Thing", name: "s" },
        },
      ],
      [
        `POST ${claims}`,
        claim("dropped", { dataSource: { apiGroup: "example.com", kind: "Thing", name: "s" } }),
        "201",
        { "spec.dataSource": undefined },
      ],
      [
        `POST ${claims}`,
        claim("differ", {
          dataSource: { kind: "PersistentVolumeClaim", name: "s" },
          dataSourceRef: { kind: "PersistentVolumeClaim", name: "t" },
        }),
        '422 Invalid: PersistentVolumeClaim "differ" is invalid: spec: Invalid value: {}: must match dataSourceRef',
      ],
    ],
  ],
  [
    "a claim that cannot be",
    [
      [
        `POST ${claims}`,
        { metadata: { name: "bad" }, spec: {} },
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]',
      ],
      [
        `POST ${claims}`,
        claim("bad", { accessModes: ["Sometimes"] }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.accessModes: Unsupported value: "Sometimes": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
      [
        `POST ${claims}`,
        claim("bad", { accessModes: ["ReadWriteOnce", "ReadWriteOncePod"] }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      ],
      [
        `POST ${claims}`,
        claim("bad", { resources: { requests: { storage: "0" } } }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.resources[storage]: Invalid value: "0": must be greater than zero',
      ],
      [
        `POST ${claims}`,
        claim("bad", { resources: { requests: { storage: "-1Gi" } } }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero',
      ],
      [
        `POST ${claims}`,
        claim("bad", { resources: { requests: {} } }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.resources[storage]: Required value',
      ],
      [
        `POST ${claims}`,
        claim("bad", { volumeMode: "Tape" }),
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      ],
      [
        `POST ${claims}`,
        claim("bad", { storageClassName: "Not_A_Name" }),
        "422 Invalid: PersistentVolumeClaim \"bad\" is invalid: spec.storageClassName: Invalid value: \"Not_A_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
  ],
  [
    "the spec is immutable, but for the volume's name and the size",
    [
      [`POST ${claims}`, claim("fixed"), "201"],
      [
        `MERGE ${claims}/fixed`,
        { spec: { storageClassName: "slow" } },
        '422 Invalid: PersistentVolumeClaim "fixed" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ],
      [`MERGE ${claims}/fixed`, { spec: { accessModes: ["ReadWriteMany"] } }, "422 Invalid"],
      [`MERGE ${claims}/fixed`, { spec: { volumeMode: "Block" } }, "422 Invalid"],
      [`MERGE ${claims}/fixed`, { spec: { volumeName: "pv-1" } }, "200", { "spec.volumeName": "pv-1" }],
      [`MERGE ${claims}/fixed`, { spec: { volumeName: "pv-2" } }, "422 Invalid"],
      [`MERGE ${claims}/fixed`, { metadata: { annotations: { a: "b" } } }, "200"],
      [`POST ${claims}`, claim("late", { storageClassName: undefined }), "201"],
      [`MERGE ${claims}/late`, { spec: { storageClassName: "fast" } }, "200", { "spec.storageClassName": "fast" }],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
