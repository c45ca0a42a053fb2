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
  csiNode,
  csiNodes,
  lease,
  leases,
  maps,
  storageClass,
  volume,
  volumes,
} from "../testing/fixtures.ts";
import { follow, type Step, send } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
interface Seen {
  metadata: { uid: string; resourceVersion: string };
}
const without =
  (...members: readonly string[]) =>
  ({ metadata, ...rest }: Seen) => ({
    ...rest,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !members.includes(name))),
  });
const outdated = { metadata: { resourceVersion: "1" } };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "an outdated version conflicts, in every kind and way",
    [
      [`POST ${volumes}`, volume("a"), "201"],
      [
        `PUT ${volumes}/a`,
        (last: Seen) => ({ ...last, metadata: { ...last.metadata, resourceVersion: "1" } }),
        '409 Conflict: Operation cannot be fulfilled on persistentvolumes "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `MERGE ${volumes}/a`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on persistentvolumes "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `STRATEGIC ${volumes}/a`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on persistentvolumes "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `JSON ${volumes}/a`,
        [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }],
        '409 Conflict: Operation cannot be fulfilled on persistentvolumes "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `MERGE ${volumes}/a/status`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on persistentvolumes "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [`POST ${claims}`, claim("a"), "201"],
      [
        `MERGE ${claims}/a`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on persistentvolumeclaims "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [
        `MERGE ${claims}/a/status`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on persistentvolumeclaims "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [`POST ${attachments}`, attachment("a"), "201"],
      [
        `MERGE ${attachments}/a/status`,
        outdated,
        '409 Conflict: Operation cannot be fulfilled on volumeattachments.storage.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [`POST ${leases}`, lease("a"), "201"],
      [
        `PUT ${leases}/a`,
        lease("a", {}, { resourceVersion: "1" }),
        '409 Conflict: Operation cannot be fulfilled on leases.coordination.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [`MERGE ${leases}/a`, { metadata: { resourceVersion: "one" } }, '500: strconv.ParseUint: parsing "one": invalid syntax'],
      [
        `PUT ${leases}/a`,
        lease("a", {}, { resourceVersion: "99999999999" }),
        '409 Conflict: Operation cannot be fulfilled on leases.coordination.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
    ],
  ],
  [
    "a PUT without a version overwrites, or is refused",
    [
      [`POST ${maps}`, configMap("b"), "201"],
      [`PUT ${maps}/b`, configMap("b", { a: "b" }), "200"],
      [`PUT ${volumes}/a`, volume("a"), "200"],
      [`POST ${classes}`, storageClass("b"), "201"],
      [`PUT ${classes}/b`, storageClass("b"), "200"],
      [`POST ${csiNodes}`, csiNode("b"), "201"],
      [
        `PUT ${csiNodes}/b`,
        csiNode("b"),
        '422 Invalid: csinodes.storage.k8s.io "b" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
      [
        `PUT ${leases}/a`,
        lease("a"),
        '422 Invalid: leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
      [
        `PUT ${attachments}/a`,
        attachment("a"),
        '422 Invalid: volumeattachments.storage.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
      [
        `MERGE ${leases}/a`,
        { metadata: { resourceVersion: null } },
        '422 Invalid: leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
      [
        `MERGE ${leases}/a`,
        { metadata: { resourceVersion: "" } },
        '422 Invalid: leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ],
    ],
  ],
  [
    "the uid is a precondition too",
    [
      [`POST ${maps}`, configMap("c"), "201"],
      [
        `PUT ${maps}/c`,
        configMap("c", {}, { uid: "11111111-1111-1111-1111-111111111111" }),
        '409 Conflict: Operation cannot be fulfilled on configmaps "c": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/c, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: <uid>, UID in object meta: <uid>',
      ],
      [`PUT ${maps}/c`, (last: Seen) => configMap("c", {}, { uid: last.metadata.uid }), "200"],
      [
        `MERGE ${maps}/c`,
        { metadata: { uid: "11111111-1111-1111-1111-111111111111" } },
        '422 Invalid: ConfigMap "c" is invalid: metadata.uid: Invalid value: "<uid>": field is immutable',
      ],
      [`MERGE ${maps}/c`, { metadata: { uid: null } }, "200"],
      [`PUT ${maps}/c`, (last: Seen) => without("uid", "creationTimestamp")(last), "200", { "metadata.creationTimestamp": "<time>" }],
    ],
  ],
  [
    "a name that does not fit the path",
    [
      [`PUT ${maps}/c`, configMap("other"), "400 BadRequest: the name of the object (other) does not match the name on the URL (c)"],
      [
        `PUT ${maps}/c`,
        { metadata: {} },
        "400 BadRequest: the name of the object (c based on URL) was undeterminable: name must be provided",
      ],
      [
        `PUT ${maps}/c`,
        configMap("c", {}, { namespace: "other" }),
        "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

const unchanged: readonly [what: string, request: string, body: (last: Seen) => unknown][] = [
  ["an empty merge patch", `MERGE ${volumes}/same`, () => ({})],
  ["an empty strategic patch", `STRATEGIC ${volumes}/same`, () => ({})],
  ["an empty JSON patch", `JSON ${volumes}/same`, () => []],
  ["a merge patch that says what is there", `MERGE ${volumes}/same`, () => ({ spec: { capacity: { storage: "1Gi" } } })],
  ["a quantity in another form", `MERGE ${volumes}/same`, () => ({ spec: { capacity: { storage: "1024Mi" } } })],
  ["empty lists and maps", `MERGE ${volumes}/same`, () => ({ metadata: { annotations: {}, ownerReferences: [], labels: null } })],
  ["a JSON patch that only tests", `JSON ${volumes}/same`, () => [{ op: "test", path: "/metadata/name", value: "same" }]],
  ["a PUT of what was read", `PUT ${volumes}/same`, (last) => last],
  [
    "a PUT of the first form without status",
    `PUT ${volumes}/same`,
    () => volume("same", {}, { finalizers: ["kubernetes.io/pv-protection"] }),
  ],
  ["an empty status patch", `MERGE ${volumes}/same/status`, () => ({})],
  ["a status that may not be written there", `MERGE ${volumes}/same`, () => ({ status: { phase: "Bound" } })],
  ["a spec that may not be written there", `MERGE ${volumes}/same/status`, () => ({ spec: { storageClassName: "x" } })],
];

test.each([...unchanged])("no new version from %s", async (_what, request, body) => {
  await send(file.admin, `POST ${volumes}`, volume("same"));
  const before = (await send(file.admin, `GET ${volumes}/same`)).body;
  const { code, body: after } = await send(file.admin, request, body(before));
  expect([code, after.metadata.resourceVersion]).toEqual([200, before.metadata.resourceVersion]);
});
