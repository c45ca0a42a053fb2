import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, claim, claims, configMap, maps, volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const fin = "external-attacher/csi-example-com";
const deleted = { "metadata.deletionTimestamp": "<time>", "metadata.deletionGracePeriodSeconds": 0 };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "volumes and claims are born with the finalizers that protect them while in use",
    [
      [
        `POST ${volumes}`,
        volume("born", {}, { finalizers: [fin] }),
        "201",
        { "metadata.finalizers": ["external-attacher/csi-example-com", "kubernetes.io/pv-protection"] },
      ],
      [
        `POST ${volumes}`,
        volume("named", {}, { finalizers: ["kubernetes.io/pv-protection", fin] }),
        "201",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "external-attacher/csi-example-com"] },
      ],
      [`POST ${claims}`, claim("born"), "201", { "metadata.finalizers": ["kubernetes.io/pvc-protection"] }],
      [`POST ${attachments}`, attachment("born"), "201", { "metadata.finalizers": undefined }],
      [`MERGE ${volumes}/born`, { metadata: { finalizers: null } }, "200", { "metadata.finalizers": undefined }],
    ],
  ],
  [
    "a delete waits for the last finalizer",
    [
      [`POST ${attachments}`, attachment("wait", {}, { finalizers: [fin, "example.com/b"] }), "201"],
      [
        `DELETE ${attachments}/wait`,
        undefined,
        "200",
        { ...deleted, "metadata.finalizers": ["external-attacher/csi-example-com", "example.com/b"], kind: "VolumeAttachment" },
      ],
      [`GET ${attachments}/wait`, undefined, "200", deleted],
      [`DELETE ${attachments}/wait`, undefined, "200", deleted],
      [`MERGE ${attachments}/wait/status`, { status: { attached: true } }, "200", { status: { attached: true } }],
      [
        `MERGE ${attachments}/wait`,
        { metadata: { finalizers: [fin, "example.com/b", "example.com/c"] } },
        '422 Invalid: VolumeAttachment.storage.k8s.io "wait" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}',
      ],
      [
        `MERGE ${attachments}/wait`,
        { metadata: { finalizers: [fin] } },
        "200",
        { "metadata.finalizers": ["external-attacher/csi-example-com"], ...deleted },
      ],
      [`MERGE ${attachments}/wait`, { metadata: { deletionTimestamp: null } }, "200", deleted],
      [`MERGE ${attachments}/wait`, { metadata: { finalizers: null } }, "200", { "metadata.finalizers": undefined, ...deleted }],
      [`GET ${attachments}/wait`, undefined, '404 NotFound: volumeattachments.storage.k8s.io "wait" not found'],
      [
        `MERGE ${attachments}/wait/status`,
        { status: { attached: false } },
        '404 NotFound: volumeattachments.storage.k8s.io "wait" not found',
      ],
    ],
  ],
  [
    "a volume goes with its last finalizer, by a JSON patch on the right place only",
    [
      [
        `POST ${volumes}`,
        volume("goes", {}, { finalizers: [fin] }),
        "201",
        { "metadata.finalizers": ["external-attacher/csi-example-com", "kubernetes.io/pv-protection"] },
      ],
      [`DELETE ${volumes}/goes`, undefined, "200", deleted],
      [
        `JSON ${volumes}/goes`,
        [
          { op: "test", path: "/metadata/finalizers/1", value: fin },
          { op: "remove", path: "/metadata/finalizers/1" },
        ],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${volumes}/goes`,
        [
          { op: "test", path: "/metadata/finalizers/0", value: fin },
          { op: "remove", path: "/metadata/finalizers/0" },
        ],
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection"] },
      ],
      [`JSON ${volumes}/goes`, [{ op: "remove", path: "/metadata/finalizers/0" }], "200", { "metadata.finalizers": undefined, ...deleted }],
      [`GET ${volumes}/goes`, undefined, '404 NotFound: persistentvolumes "goes" not found'],
    ],
  ],
  [
    "the status subresource of claims lets finalizers go, the one of attachments does not",
    [
      [`POST ${claims}`, claim("status"), "201"],
      [`DELETE ${claims}/status`, undefined, "200", deleted],
      [`MERGE ${claims}/status/status`, { metadata: { finalizers: null } }, "200"],
      [`GET ${claims}/status`, undefined, '404 NotFound: persistentvolumeclaims "status" not found'],
      [`POST ${attachments}`, attachment("status", {}, { finalizers: [fin] }), "201"],
      [`DELETE ${attachments}/status`, undefined, "200"],
      [
        `MERGE ${attachments}/status/status`,
        { metadata: { finalizers: null } },
        "200",
        { "metadata.finalizers": ["external-attacher/csi-example-com"] },
      ],
    ],
  ],
  [
    "a finalizer needs a name",
    [
      [
        `POST ${maps}`,
        configMap("bad", {}, { finalizers: ["short"] }),
        '422 Invalid: ConfigMap "bad" is invalid: metadata.finalizers[0]: Invalid value: "short": name is neither a standard finalizer name nor is it fully qualified',
      ],
      [
        `POST ${maps}`,
        configMap("bad", {}, { finalizers: ["a/b/c"] }),
        "422 Invalid: ConfigMap \"bad\" is invalid: metadata.finalizers: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
      [
        `POST ${maps}`,
        configMap("bad", {}, { finalizers: ["example.com/a", "example.com/a"] }),
        "201",
        { "metadata.finalizers": ["example.com/a", "example.com/a"] },
      ],
      [
        `POST ${maps}`,
        configMap("orphan", {}, { finalizers: ["orphan", "foregroundDeletion"] }),
        '422 Invalid: ConfigMap "orphan" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
