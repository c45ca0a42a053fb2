import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, claim, claims, classes, csiNodes, nodes, pods, volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const metadata = { labels: { l: "1" }, annotations: { a: "1" } };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "volumes",
    [
      [
        `POST ${volumes}`,
        { ...volume("a"), status: { phase: "Bound", message: "m" } },
        "201",
        { status: { phase: "Pending", lastPhaseTransitionTime: "<time>" } },
      ],
      [
        `MERGE ${volumes}/a`,
        { metadata: { labels: { l: "0" } }, status: { phase: "Failed" } },
        "200",
        { "metadata.labels": { l: "0" }, "metadata.annotations": undefined, "status.phase": "Pending" },
      ],
      [
        `MERGE ${volumes}/a/status`,
        { metadata, spec: { storageClassName: "x" }, status: { phase: "Released", reason: "r" } },
        "200",
        {
          "metadata.labels": { l: "1" },
          "metadata.annotations": { a: "1" },
          "status.phase": "Released",
          "status.reason": "r",
          "spec.storageClassName": undefined,
        },
      ],
      [`GET ${volumes}/a/status`, undefined, "200", { kind: "PersistentVolume", "status.phase": "Released" }],
      [`PUT ${volumes}/a`, volume("a"), "200", { "status.phase": "Released", "metadata.labels": undefined }],
    ],
  ],
  [
    "claims",
    [
      [
        `POST ${claims}`,
        { ...claim("a"), status: { phase: "Bound", capacity: { storage: "5Gi" } } },
        "201",
        { status: { phase: "Pending" } },
      ],
      [
        `MERGE ${claims}/a`,
        { metadata: { labels: { l: "0" } }, status: { phase: "Lost" } },
        "200",
        { "metadata.labels": { l: "0" }, "metadata.annotations": undefined, status: { phase: "Pending" } },
      ],
      [
        `MERGE ${claims}/a/status`,
        { metadata, spec: { volumeName: "x" }, status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] } },
        "200",
        {
          "metadata.labels": { l: "1" },
          "metadata.annotations": { a: "1" },
          status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
          "spec.volumeName": undefined,
        },
      ],
      [`GET ${claims}/a/status`, undefined, "200", { kind: "PersistentVolumeClaim", "status.phase": "Bound" }],
      [`PUT ${claims}/a/status`, (last: object) => ({ ...last, status: { phase: "Lost" } }), "200", { status: { phase: "Lost" } }],
    ],
  ],
  [
    "attachments",
    [
      [
        `POST ${attachments}`,
        { ...attachment("a"), status: { attached: true, attachmentMetadata: { k: "v" } } },
        "201",
        { status: { attached: false } },
      ],
      [
        `MERGE ${attachments}/a`,
        { metadata: { labels: { l: "0" } }, status: { attached: true } },
        "200",
        { "metadata.labels": { l: "0" }, "metadata.annotations": undefined, status: { attached: false } },
      ],
      [
        `MERGE ${attachments}/a/status`,
        { metadata, spec: { nodeName: "x" }, status: { attached: true, attachmentMetadata: { device: "/dev/x" } } },
        "200",
        {
          "metadata.labels": { l: "0" },
          "metadata.annotations": undefined,
          status: { attached: true, attachmentMetadata: { device: "/dev/x" } },
          "spec.nodeName": "node-1",
        },
      ],
      [`MERGE ${attachments}/a/status`, { status: { attached: false, attachmentMetadata: null } }, "200", { status: { attached: false } }],
      [`MERGE ${attachments}/a/status`, { status: null }, "200", { status: { attached: false } }],
      [`PUT ${attachments}/a/status`, (last: object) => ({ ...last, status: { attached: true } }), "200", { status: { attached: true } }],
      [`PUT ${attachments}/a`, (last: object) => ({ ...last, status: { attached: false } }), "200", { status: { attached: true } }],
      [
        `MERGE ${attachments}/a/status`,
        { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, status: { attached: false } },
        '422 Invalid: VolumeAttachment.storage.k8s.io "a" is invalid: metadata.uid: Invalid value: "<uid>": field is immutable',
      ],
      [`POST ${attachments}/a/status`, {}, "405 MethodNotAllowed: the server does not allow this method on the requested resource"],
      [`GET ${attachments}/b/status`, undefined, '404 NotFound: volumeattachments.storage.k8s.io "b" not found'],
    ],
  ],
  [
    "nodes and pods",
    [
      [
        `POST ${nodes}`,
        { metadata: { name: "a" }, status: { capacity: { cpu: "1" } } },
        "201",
        {
          status: {
            capacity: { cpu: "1" },
            allocatable: { cpu: "1" },
            daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
            nodeInfo: {
              machineID: "",
              systemUUID: "",
              bootID: "",
              kernelVersion: "",
              osImage: "",
              containerRuntimeVersion: "",
              kubeletVersion: "",
              kubeProxyVersion: "",
              operatingSystem: "",
              architecture: "",
            },
          },
        },
      ],
      [`MERGE ${nodes}/a`, { status: { phase: "Running" } }, "200", { "status.phase": undefined }],
      [
        `POST ${pods}`,
        { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] }, status: { phase: "Running" } },
        "201",
        { "status.phase": "Pending" },
      ],
      [`MERGE ${pods}/a/status`, { status: { phase: "Running" } }, "200", { "status.phase": "Running" }],
      [`MERGE ${pods}/a`, { status: { phase: "Failed" } }, "200", { "status.phase": "Running" }],
    ],
  ],
  [
    "kinds without it",
    [
      [`MERGE ${classes}/a/status`, {}, "404 NotFound: the server could not find the requested resource"],
      [`MERGE ${csiNodes}/a/status`, {}, "404 NotFound: the server could not find the requested resource"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
