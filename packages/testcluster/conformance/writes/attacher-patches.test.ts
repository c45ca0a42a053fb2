import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const fin = "external-attacher/csi-example-com";
const path = "/metadata/finalizers";
const nodeId = "csi.alpha.kubernetes.io/node-id";
const time = "2026-01-02T03:04:05Z";
const error = (message: string) => ({ status: { attachError: { message, time } } });

const addToNone = [
  { op: "test", path, value: null },
  { op: "add", path, value: [fin] },
];
const addToEmpty = [
  { op: "test", path, value: [] },
  { op: "replace", path, value: [fin] },
];
const append = [{ op: "add", path: `${path}/-`, value: fin }];

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "the finalizer on a volume that has none",
    [
      [`POST ${volumes}`, volume("none"), "201"],
      [`MERGE ${volumes}/none`, { metadata: { finalizers: [] } }, "200", { "metadata.finalizers": undefined }],
      [`JSON ${volumes}/none`, addToEmpty, "422 Invalid: the server rejected our request due to an error in our request"],
      [`JSON ${volumes}/none`, append, "422 Invalid: the server rejected our request due to an error in our request"],
      [`JSON ${volumes}/none`, addToNone, "200", { "metadata.finalizers": ["external-attacher/csi-example-com"] }],
      [`JSON ${volumes}/none`, addToNone, "422 Invalid: the server rejected our request due to an error in our request"],
    ],
  ],
  [
    "the finalizer on a volume that has others",
    [
      [`POST ${volumes}`, volume("some"), "201", { "metadata.finalizers": ["kubernetes.io/pv-protection"] }],
      [
        `JSON ${volumes}/some`,
        append,
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "external-attacher/csi-example-com"] },
      ],
      [
        `JSON ${volumes}/some`,
        append,
        "200",
        {
          "metadata.finalizers": ["kubernetes.io/pv-protection", "external-attacher/csi-example-com", "external-attacher/csi-example-com"],
        },
      ],
      [
        `JSON ${volumes}/some`,
        [
          { op: "test", path: `${path}/1`, value: "example.com/x" },
          { op: "remove", path: `${path}/1` },
        ],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${volumes}/some`,
        [
          { op: "test", path: `${path}/7`, value: fin },
          { op: "remove", path: `${path}/7` },
        ],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${volumes}/some`,
        [{ op: "remove", path: `${path}/7` }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
      [
        `JSON ${volumes}/some`,
        [
          { op: "test", path: `${path}/1`, value: fin },
          { op: "remove", path: `${path}/1` },
        ],
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "external-attacher/csi-example-com"] },
      ],
      [`JSON ${volumes}/gone`, append, '404 NotFound: persistentvolumes "gone" not found'],
    ],
  ],
  [
    "an attachment is prepared: finalizer and node id in one patch",
    [
      [`POST ${attachments}`, attachment("va", {}, { annotations: { other: "kept" } }), "201"],
      [
        `MERGE ${attachments}/va`,
        { metadata: { finalizers: [fin], annotations: { [nodeId]: "id-1" } } },
        "200",
        {
          "metadata.finalizers": ["external-attacher/csi-example-com"],
          "metadata.annotations": { "csi.alpha.kubernetes.io/node-id": "id-1", other: "kept" },
        },
      ],
      [
        `MERGE ${attachments}/va`,
        { metadata: { annotations: { [nodeId]: "id-2" } } },
        "200",
        { "metadata.annotations": { "csi.alpha.kubernetes.io/node-id": "id-2", other: "kept" } },
      ],
      [
        `MERGE ${attachments}/va`,
        { metadata: { finalizers: [fin, "example.com/b"] } },
        "200",
        { "metadata.finalizers": ["external-attacher/csi-example-com", "example.com/b"] },
      ],
    ],
  ],
  [
    "an attachment's status from error to attached and back",
    [
      [
        `MERGE ${attachments}/va/status`,
        error("rpc error: code = Internal desc = no"),
        "200",
        { "status.attached": false, "status.attachError": { time: "<time>", message: "rpc error: code = Internal desc = no" } },
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attachError: { message: "busy", errorCode: 8 } } },
        "200",
        { "status.attachError.errorCode": 8, "status.attachError.message": "busy" },
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attachError: { errorCode: -1 } } },
        '422 Invalid: VolumeAttachment.storage.k8s.io "va" is invalid: status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attached: true, attachError: null, attachmentMetadata: { a: "1", b: "2" } } },
        "200",
        { status: { attached: true, attachmentMetadata: { a: "1", b: "2" } } },
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attachmentMetadata: { a: null, c: "3" } } },
        "200",
        { status: { attached: true, attachmentMetadata: { b: "2", c: "3" } } },
      ],
      [`MERGE ${attachments}/va/status`, {}, "200", { status: { attached: true, attachmentMetadata: { b: "2", c: "3" } } }],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attached: false, attachmentMetadata: null, detachError: { message: "no", time } } },
        "200",
        { status: { attached: false, detachError: { time: "<time>", message: "no" } } },
      ],
    ],
  ],
  [
    "an error message has 1024 bytes at most",
    [
      [`MERGE ${attachments}/va/status`, error("x".repeat(1024)), "200"],
      [
        `MERGE ${attachments}/va/status`,
        error("x".repeat(1025)),
        '422 Invalid: VolumeAttachment.storage.k8s.io "va" is invalid: status.attachError.message: Too long: may not be more than 262144 bytes',
      ],
      [`MERGE ${attachments}/va/status`, error("ä".repeat(512)), "200"],
      [
        `MERGE ${attachments}/va/status`,
        error(`${"ä".repeat(512)}x`),
        '422 Invalid: VolumeAttachment.storage.k8s.io "va" is invalid: status.attachError.message: Too long: may not be more than 262144 bytes',
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { detachError: { message: "x".repeat(1025) } } },
        '422 Invalid: VolumeAttachment.storage.k8s.io "va" is invalid: status.detachError.message: Too long: may not be more than 262144 bytes',
      ],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attachmentMetadata: { a: "x".repeat(256 * 1024) } } },
        '422 Invalid: VolumeAttachment.storage.k8s.io "va" is invalid: status.attachmentMetadata: Too long: may not be more than 262144 bytes',
      ],
    ],
  ],
  [
    "a detached attachment lets go",
    [
      [`DELETE ${attachments}/va`, undefined, "200"],
      [`MERGE ${attachments}/va`, { metadata: { finalizers: ["example.com/b"] } }, "200", { "metadata.finalizers": ["example.com/b"] }],
      [
        `MERGE ${attachments}/va/status`,
        { status: { attached: false, attachmentMetadata: null, detachError: null } },
        "200",
        { "status.detachError": undefined },
      ],
      [`MERGE ${attachments}/va`, { metadata: { finalizers: null } }, "200"],
      [`MERGE ${attachments}/va/status`, { status: { attached: false } }, '404 NotFound: volumeattachments.storage.k8s.io "va" not found'],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
