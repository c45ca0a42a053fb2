import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { events, lease, leases, secrets } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const held = {
  holderIdentity: "me",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-02T03:04:05.123456Z",
  renewTime: "2026-01-02T03:04:05.123456Z",
  leaseTransitions: 0,
};
const event = (name: string, involvedObject: object, rest: object = {}) => ({
  metadata: { name },
  involvedObject,
  reason: "R",
  message: "m",
  type: "Normal",
  ...rest,
});
const pod = { kind: "Pod", namespace: "default", name: "p", uid: "u", apiVersion: "v1" };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "leases",
    [
      [
        `POST ${leases}`,
        lease("l", held),
        "201",
        {
          spec: {
            holderIdentity: "me",
            leaseDurationSeconds: 15,
            acquireTime: "2026-01-02T03:04:05.123456Z",
            renewTime: "2026-01-02T03:04:05.123456Z",
            leaseTransitions: 0,
          },
        },
      ],
      [
        `PUT ${leases}/l`,
        (last: { spec: object }) => ({ ...last, spec: { ...last.spec, holderIdentity: "you", leaseTransitions: 1 } }),
        "200",
        { "spec.holderIdentity": "you", "spec.leaseTransitions": 1 },
      ],
      [`MERGE ${leases}/l`, { spec: { holderIdentity: "", leaseDurationSeconds: 1 } }, "200", { "spec.holderIdentity": "" }],
      [
        `MERGE ${leases}/l`,
        { spec: { leaseDurationSeconds: 0 } },
        '422 Invalid: Lease.coordination.k8s.io "l" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      ],
      [
        `MERGE ${leases}/l`,
        { spec: { leaseTransitions: -1 } },
        '422 Invalid: Lease.coordination.k8s.io "l" is invalid: spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
      [`MERGE ${leases}/l`, { spec: { renewTime: "2026-01-02T03:04:05Z" } }, "422 Invalid", { "spec.renewTime": undefined }],
      [`MERGE ${leases}/l`, { spec: { renewTime: "yesterday" } }, "422 Invalid"],
      [`POST ${leases}`, lease("empty"), "201", { spec: {} }],
      [`POST ${leases}`, { metadata: { name: "specless" } }, "201", { spec: {} }],
      [
        `POST ${leases}`,
        lease("zero", { ...held, leaseDurationSeconds: -5 }),
        '422 Invalid: Lease.coordination.k8s.io "zero" is invalid: spec.leaseDurationSeconds: Invalid value: -5: must be greater than 0',
      ],
      [`MERGE ${leases}/l`, { metadata: { labels: { a: "b" } }, spec: null }, "200", { spec: {} }],
    ],
  ],
  [
    "events live in the namespace of their object, those of cluster-scoped objects in default",
    [
      [
        `POST ${events}`,
        event("of-pod", pod),
        "201",
        {
          "": {
            kind: "Event",
            apiVersion: "v1",
            metadata: { name: "of-pod", namespace: "default", uid: "<uid>", creationTimestamp: "<time>" },
            involvedObject: { kind: "Pod", namespace: "default", name: "p", uid: "u", apiVersion: "v1" },
            reason: "R",
            message: "m",
            source: {},
            firstTimestamp: null,
            lastTimestamp: null,
            type: "Normal",
            eventTime: null,
            reportingComponent: "",
            reportingInstance: "",
          },
        },
      ],
      [`POST ${events}`, event("of-volume", { kind: "PersistentVolume", name: "pv" }), "201"],
      [
        "POST /api/v1/namespaces/kube-system/events",
        event("elsewhere", pod),
        '422 Invalid: Event "elsewhere" is invalid: involvedObject.namespace: Invalid value: "default": does not match event.namespace',
      ],
      [
        "POST /api/v1/namespaces/kube-system/events",
        event("of-volume", { kind: "PersistentVolume", name: "pv" }),
        '422 Invalid: Event "of-volume" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
      ],
      [`POST ${events}`, event("typeless", pod, { type: "" }), "201"],
      [`POST ${events}`, event("odd", pod, { type: "Odd" }), "201"],
      [
        `POST ${events}`,
        event("counted", pod, {
          count: 3,
          firstTimestamp: "2026-01-02T03:04:05Z",
          lastTimestamp: "2026-01-02T03:04:05Z",
          source: { component: "c", host: "h" },
        }),
        "201",
        { count: 3, source: { component: "c", host: "h" }, firstTimestamp: "<time>" },
      ],
      [
        `GET /apis/events.k8s.io/v1/namespaces/default/events/counted`,
        undefined,
        "200",
        {
          kind: "Event",
          apiVersion: "events.k8s.io/v1",
          regarding: { kind: "Pod", namespace: "default", name: "p", uid: "u", apiVersion: "v1" },
          note: "m",
          deprecatedCount: 3,
          deprecatedSource: { component: "c", host: "h" },
        },
      ],
      [`MERGE ${events}/counted`, { count: 4, message: "n" }, "200", { count: 4, message: "n" }],
      [`MERGE ${events}/gone`, { count: 4 }, '404 NotFound: events "gone" not found'],
    ],
  ],
  [
    "secrets",
    [
      [
        `POST ${secrets}`,
        { metadata: { name: "s" }, stringData: { user: "admin", key: "ü" }, data: { user: "eA==", other: "eQ==" } },
        "201",
        { data: { key: "w7w=", other: "eQ==", user: "YWRtaW4=" }, stringData: undefined, type: "Opaque" },
      ],
      [
        `MERGE ${secrets}/s`,
        { stringData: { key: "new" } },
        "200",
        { data: { key: "bmV3", other: "eQ==", user: "YWRtaW4=" }, stringData: undefined },
      ],
      [`MERGE ${secrets}/s`, { data: { other: null } }, "200", { data: { key: "bmV3", user: "YWRtaW4=" } }],
      [`POST ${secrets}`, { metadata: { name: "bad" }, data: { a: "not base64!" } }, "400 BadRequest"],
      [`POST ${secrets}`, { metadata: { name: "bad" }, data: { "a/b": "eA==" } }, "422 Invalid"],
      [
        `MERGE ${secrets}/s`,
        { type: "example.com/other" },
        '422 Invalid: Secret "s" is invalid: type: Invalid value: "example.com/other": field is immutable',
      ],
      [`POST ${secrets}`, { metadata: { name: "immutable" }, data: { a: "eA==" }, immutable: true }, "201"],
      [
        `MERGE ${secrets}/immutable`,
        { data: { a: "eQ==" } },
        '422 Invalid: Secret "immutable" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      ],
      [`POST ${secrets}`, { metadata: { name: "empty" } }, "201", { data: undefined, type: "Opaque" }],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
