import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import {
  attachment,
  attachments,
  claim,
  claims,
  classes,
  configMap,
  lease,
  leases,
  maps,
  namespaces,
  volume,
  volumes,
} from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "an object is created, read, replaced and deleted",
    [
      [
        `POST ${maps}`,
        configMap("a", { k: "v" }, { labels: { x: "y" } }),
        "201",
        {
          "": {
            kind: "ConfigMap",
            apiVersion: "v1",
            metadata: { name: "a", namespace: "default", uid: "<uid>", creationTimestamp: "<time>", labels: { x: "y" } },
            data: { k: "v" },
          },
        },
      ],
      [
        `GET ${maps}/a`,
        undefined,
        "200",
        {
          "": {
            kind: "ConfigMap",
            apiVersion: "v1",
            metadata: { name: "a", namespace: "default", uid: "<uid>", creationTimestamp: "<time>", labels: { x: "y" } },
            data: { k: "v" },
          },
        },
      ],
      [`PUT ${maps}/a`, configMap("a", { k: "w" }), "200", { data: { k: "w" }, "metadata.labels": undefined }],
      [
        `DELETE ${maps}/a`,
        undefined,
        "200",
        {
          "": {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Success",
            details: { name: "a", kind: "configmaps", uid: "<uid>" },
          },
        },
      ],
      [`GET ${maps}/a`, undefined, '404 NotFound: configmaps "a" not found'],
      [`DELETE ${maps}/a`, undefined, '404 NotFound: configmaps "a" not found'],
      [`PUT ${maps}/a`, configMap("a"), '404 NotFound: configmaps "a" not found'],
      [`MERGE ${maps}/a`, {}, '404 NotFound: configmaps "a" not found'],
    ],
  ],
  [
    "what the server owns is not taken from the client",
    [
      [
        `POST ${maps}`,
        configMap(
          "own",
          {},
          {
            uid: "mine",
            creationTimestamp: "2001-01-01T00:00:00Z",
            generation: 7,
            deletionTimestamp: "2001-01-01T00:00:00Z",
            selfLink: "/x",
          },
        ),
        "201",
        { metadata: { name: "own", namespace: "default", uid: "<uid>", generation: 7, creationTimestamp: "<time>" } },
      ],
      [`MERGE ${maps}/own`, { metadata: { creationTimestamp: "2001-01-01T00:00:00Z" } }, "200"],
      [
        `MERGE ${maps}/own`,
        { metadata: { uid: "mine" } },
        '422 Invalid: ConfigMap "own" is invalid: metadata.uid: Invalid value: "mine": field is immutable',
      ],
      [
        `MERGE ${maps}/own`,
        { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } },
        '422 Invalid: ConfigMap "own" is invalid: metadata.deletionTimestamp: Invalid value: "<time>": field is immutable',
        { "metadata.deletionTimestamp": undefined },
      ],
      [
        `MERGE ${maps}/own`,
        { metadata: { name: "other" } },
        "400 BadRequest: the name of the object (other) does not match the name on the URL (own)",
      ],
      [
        `MERGE ${maps}/own`,
        { metadata: { namespace: "other" } },
        "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
      ],
      [`MERGE ${maps}/own`, { metadata: { generation: 9 } }, "200", { "metadata.generation": 7 }],
    ],
  ],
  [
    "a create that cannot be",
    [
      [`POST ${maps}`, configMap("twice"), "201"],
      [`POST ${maps}`, configMap("twice"), '409 AlreadyExists: configmaps "twice" already exists'],
      [
        `POST ${maps}`,
        { metadata: {} },
        '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
      [`POST ${maps}`, configMap("v", {}, { resourceVersion: "1" }), "500: resourceVersion should not be set on objects to be created"],
      [
        `POST ${maps}`,
        configMap("n", {}, { namespace: "other" }),
        "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
      ],
      ["POST /api/v1/namespaces/nowhere/configmaps", configMap("n"), '404 NotFound: namespaces "nowhere" not found'],
      ["POST /api/v1/configmaps", configMap("n"), "405 MethodNotAllowed: the server does not allow this method on the requested resource"],
      [`POST ${maps}/n`, configMap("n"), "405 MethodNotAllowed: the server does not allow this method on the requested resource"],
      [`POST ${maps}`, { ...configMap("k"), kind: "Secret", apiVersion: "v1" }, "400 BadRequest"],
      [`POST ${maps}`, { ...configMap("k"), kind: "ConfigMap", apiVersion: "v2" }, "400 BadRequest"],
      [`POST ${maps}`, { ...configMap("k"), kind: "ConfigMap" }, "201"],
      [`POST ${maps}`, "not json", "400 BadRequest"],
      [`POST ${maps}`, "[]", "400 BadRequest"],
      [
        `POST ${volumes}`,
        { metadata: { name: "empty" } },
        '422 Invalid: PersistentVolume "empty" is invalid: [spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage", spec: Required value: must specify a volume type]',
      ],
      [
        `POST ${attachments}`,
        { metadata: { name: "empty" } },
        "422 Invalid: VolumeAttachment.storage.k8s.io \"empty\" is invalid: [spec.attacher: Required value, spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName, spec.nodeName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
      ],
    ],
  ],
  [
    "what is not there",
    [
      [`GET ${volumes}/none`, undefined, '404 NotFound: persistentvolumes "none" not found'],
      [`GET ${attachments}/none`, undefined, '404 NotFound: volumeattachments.storage.k8s.io "none" not found'],
      [`GET ${leases}/none`, undefined, '404 NotFound: leases.coordination.k8s.io "none" not found'],
      ["GET /api/v1/namespaces/nowhere/configmaps", undefined, "200", { items: [] }],
      ["GET /api/v1/namespaces/nowhere/configmaps/none", undefined, '404 NotFound: configmaps "none" not found'],
      ["GET /api/v1/things", undefined, "404 NotFound: the server could not find the requested resource"],
      ["GET /apis/storage.k8s.io/v1/things", undefined, "404 NotFound: the server could not find the requested resource"],
      ["GET /apis/storage.k8s.io/v9/volumeattachments", undefined, "404 NotFound: the server could not find the requested resource"],
      ["GET /apis/nothing.example.com/v1/things", undefined, "404 404 page not found"],
      ["GET /nothing", undefined, "404 404 page not found"],
      [`GET ${classes}/none/status`, undefined, "404 NotFound: the server could not find the requested resource"],
      [
        `DELETE ${attachments}/none/status`,
        undefined,
        "405 MethodNotAllowed: the server does not allow this method on the requested resource",
      ],
    ],
  ],
  [
    "a dry run changes nothing",
    [
      [`POST ${maps}?dryRun=All`, configMap("dry"), "201"],
      [`GET ${maps}/dry`, undefined, '404 NotFound: configmaps "dry" not found'],
      [`POST ${maps}`, configMap("dry"), "201"],
      [`MERGE ${maps}/dry?dryRun=All`, { data: { a: "b" } }, "200", { data: { a: "b" } }],
      [`DELETE ${maps}/dry?dryRun=All`, undefined, "200"],
      [`GET ${maps}/dry`, undefined, "200", { data: undefined }],
      [
        `POST ${maps}?dryRun=Some`,
        configMap("dry"),
        '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ],
    ],
  ],
  [
    "a PUT creates what is absent in some kinds",
    [
      [`PUT ${leases}/put`, lease("put"), "201"],
      [`PUT ${claims}/put`, claim("put"), '404 NotFound: persistentvolumeclaims "put" not found'],
      [`PUT ${attachments}/put`, attachment("put"), '404 NotFound: volumeattachments.storage.k8s.io "put" not found'],
    ],
  ],
  [
    "fields of a wrong type are refused",
    [
      [`POST ${maps}`, { ...configMap("wrong"), data: { a: 1 } }, "400 BadRequest"],
      [`POST ${volumes}`, volume("wrong", { accessModes: "ReadWriteOnce" }), "400 BadRequest"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

test("generateName gets five letters", async () => {
  const { code, body } = await file.admin.post(maps, { metadata: { generateName: "gen-" } });
  expect([code, body.metadata.generateName]).toEqual([201, "gen-"]);
  expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const long = await file.admin.post(maps, { metadata: { generateName: "g".repeat(70) } });
  expect(long.body.metadata.name).toMatch(/^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("a new namespace is active and labelled with its name", () =>
  follow(file.admin, [
    [
      `POST ${namespaces}?dryRun=All`,
      { metadata: { name: "fresh" } },
      "201",
      { "spec.finalizers": ["kubernetes"], status: { phase: "Active" }, "metadata.labels": { "kubernetes.io/metadata.name": "fresh" } },
    ],
  ]));
