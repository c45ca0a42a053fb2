import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import {
  attachment,
  attachments,
  claim,
  claims,
  configMap,
  lease,
  leases,
  maps,
  namespaces,
  volume,
  volumes,
} from "../testing/fixtures.ts";
import { follow, type Step, send } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "names",
    [
      [
        `POST ${volumes}`,
        volume("Upper"),
        "422 Invalid: PersistentVolume \"Upper\" is invalid: metadata.name: Invalid value: \"Upper\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
      [`POST ${volumes}`, volume("under_score"), "422 Invalid"],
      [`POST ${volumes}`, volume("-dash"), "422 Invalid"],
      [`POST ${volumes}`, volume("dots.are.fine-1"), "201"],
      [`POST ${volumes}`, volume("a".repeat(253)), "201"],
      [
        `POST ${volumes}`,
        volume("a".repeat(254)),
        '422 Invalid: PersistentVolume "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is invalid: metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 253 characters',
      ],
      [`POST ${claims}`, claim("a".repeat(253)), "201"],
      [`POST ${attachments}`, attachment("Upper"), "422 Invalid"],
      [`POST ${leases}`, lease("with.dots"), "201"],
      [
        `POST ${leases}`,
        lease("with/slash"),
        "422 Invalid: Lease.coordination.k8s.io \"with/slash\" is invalid: metadata.name: Invalid value: \"with/slash\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
      [`POST ${leases}`, lease(".."), "422 Invalid"],
      [
        `POST ${namespaces}`,
        { metadata: { name: "with.dots" } },
        '422 Invalid: Namespace "with.dots" is invalid: metadata.name: Invalid value: "with.dots": must not contain dots',
      ],
      [`POST ${maps}`, { metadata: { generateName: "Upper-" } }, "422 Invalid"],
    ],
  ],
  [
    "labels",
    [
      [
        `POST ${maps}`,
        configMap("l", {}, { labels: { a: "", "example.com/b": "B_c.d-e" } }),
        "201",
        { "metadata.labels": { a: "", "example.com/b": "B_c.d-e" } },
      ],
      [`MERGE ${maps}/l`, { metadata: { labels: { a: "x".repeat(63) } } }, "200"],
      [
        `MERGE ${maps}/l`,
        { metadata: { labels: { a: "x".repeat(64) } } },
        '422 Invalid: ConfigMap "l" is invalid: metadata.labels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 bytes',
      ],
      [
        `MERGE ${maps}/l`,
        { metadata: { labels: { a: "b c" } } },
        "422 Invalid: ConfigMap \"l\" is invalid: metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
      [
        `MERGE ${maps}/l`,
        { metadata: { labels: { "a/b/c": "x" } } },
        "422 Invalid: ConfigMap \"l\" is invalid: metadata.labels: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
      [
        `MERGE ${maps}/l`,
        { metadata: { labels: { [`${"x".repeat(64)}`]: "x" } } },
        '422 Invalid: ConfigMap "l" is invalid: metadata.labels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": name part must be no more than 63 bytes',
      ],
      [`MERGE ${maps}/l`, { metadata: { labels: { a: 1 } } }, "422 Invalid"],
    ],
  ],
  [
    "annotations",
    [
      [
        `POST ${maps}`,
        configMap("a", {}, { annotations: { "example.com/a": "any thing\n", b: "" } }),
        "201",
        { "metadata.annotations": { b: "", "example.com/a": "any thing\n" } },
      ],
      [
        `MERGE ${maps}/a`,
        { metadata: { annotations: { "a b": "x" } } },
        "422 Invalid: ConfigMap \"a\" is invalid: metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
      [`MERGE ${maps}/a`, { metadata: { annotations: { UPPER: "x" } } }, "200"],
      [`MERGE ${maps}/a`, { metadata: { annotations: { big: "x".repeat(262_100) } } }, "200"],
      [
        `MERGE ${maps}/a`,
        { metadata: { annotations: { big: "x".repeat(262_144) } } },
        '422 Invalid: ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
      ],
    ],
  ],
  [
    "owners",
    [
      [
        `POST ${maps}`,
        configMap("o", {}, { ownerReferences: [owner] }),
        "201",
        { "metadata.ownerReferences": [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] },
      ],
      [
        `POST ${maps}`,
        configMap("bad", {}, { ownerReferences: [{ ...owner, uid: "" }] }),
        '422 Invalid: ConfigMap "bad" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
      [
        `POST ${maps}`,
        configMap(
          "bad",
          {},
          {
            ownerReferences: [
              { ...owner, controller: true },
              { ...owner, uid: "v", controller: true },
            ],
          },
        ),
        '422 Invalid: ConfigMap "bad" is invalid: metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/p',
      ],
      [`POST ${maps}`, configMap("bad", {}, { ownerReferences: [{ kind: "Pod" }] }), "422 Invalid"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

test("a 422 lists its causes by field", async () => {
  const { body } = await send(file.admin, `POST ${attachments}`, attachment("x", { attacher: "", source: {} }));
  expect(body.details).toEqual({
    name: "x",
    group: "storage.k8s.io",
    kind: "VolumeAttachment",
    causes: [
      { reason: "FieldValueRequired", message: "Required value", field: "spec.attacher" },
      {
        reason: "FieldValueRequired",
        message: "Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
        field: "spec.source",
      },
    ],
  });
});

test("404, 409 and already existing carry details", async () => {
  const missing = await send(file.admin, `GET ${attachments}/none`);
  expect(missing.body.details).toEqual({ name: "none", group: "storage.k8s.io", kind: "volumeattachments" });
  await send(file.admin, `POST ${attachments}`, attachment("d"));
  const twice = await send(file.admin, `POST ${attachments}`, attachment("d"));
  expect(twice.body.details).toEqual({ name: "d", group: "storage.k8s.io", kind: "volumeattachments" });
  const late = await send(file.admin, `MERGE ${attachments}/d`, { metadata: { resourceVersion: "1" } });
  expect(late.body.details).toEqual({ name: "d", group: "storage.k8s.io", kind: "volumeattachments" });
  expect(late.body.metadata).toEqual({});
});
