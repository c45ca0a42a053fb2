import { beforeAll, describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, clusterRoleBindings, configMap, leases, maps, volume, volumes } from "../testing/fixtures.ts";
import { mayDo, userWith } from "../testing/grant.ts";
import { follow, outcomeOf, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

describe("a user without rights", () => {
  const steps: readonly Step[] = [
    [
      `GET ${volumes}`,
      undefined,
      '403 Forbidden: persistentvolumes is forbidden: User "<user>" cannot list resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `GET ${volumes}/a`,
      undefined,
      '403 Forbidden: persistentvolumes "a" is forbidden: User "<user>" cannot get resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `GET ${volumes}?watch=1`,
      undefined,
      '403 Forbidden: persistentvolumes is forbidden: User "<user>" cannot watch resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `POST ${volumes}`,
      volume("a"),
      '403 Forbidden: persistentvolumes is forbidden: User "<user>" cannot create resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `PUT ${volumes}/a`,
      volume("a"),
      '403 Forbidden: persistentvolumes "a" is forbidden: User "<user>" cannot update resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `MERGE ${volumes}/a`,
      {},
      '403 Forbidden: persistentvolumes "a" is forbidden: User "<user>" cannot patch resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `MERGE ${volumes}/a/status`,
      {},
      '403 Forbidden: persistentvolumes "a" is forbidden: User "<user>" cannot patch resource "persistentvolumes/status" in API group "" at the cluster scope',
    ],
    [
      `DELETE ${volumes}/a`,
      undefined,
      '403 Forbidden: persistentvolumes "a" is forbidden: User "<user>" cannot delete resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `DELETE ${volumes}`,
      undefined,
      '403 Forbidden: persistentvolumes is forbidden: User "<user>" cannot deletecollection resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    [
      `GET ${maps}`,
      undefined,
      '403 Forbidden: configmaps is forbidden: User "<user>" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      "GET /api/v1/configmaps",
      undefined,
      '403 Forbidden: configmaps is forbidden: User "<user>" cannot list resource "configmaps" in API group "" at the cluster scope',
    ],
    [
      `POST ${attachments}`,
      attachment("a"),
      '403 Forbidden: volumeattachments.storage.k8s.io is forbidden: User "<user>" cannot create resource "volumeattachments" in API group "storage.k8s.io" at the cluster scope',
    ],
    [
      `GET ${leases}/a`,
      undefined,
      '403 Forbidden: leases.coordination.k8s.io "a" is forbidden: User "<user>" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    ],
    [
      "GET /api/v1/namespaces/default",
      undefined,
      '403 Forbidden: namespaces "default" is forbidden: User "<user>" cannot get resource "namespaces" in API group "" in the namespace "default"',
    ],
    [
      "GET /api/v1/things",
      undefined,
      '403 Forbidden: things is forbidden: User "<user>" cannot list resource "things" in API group "" at the cluster scope',
    ],
    [
      "GET /apis/nothing.example.com/v1/things/a",
      undefined,
      '403 Forbidden: things.nothing.example.com "a" is forbidden: User "<user>" cannot get resource "things" in API group "nothing.example.com" at the cluster scope',
    ],
    ["GET /metrics", undefined, '403 Forbidden: forbidden: User "<user>" cannot get path "/metrics"'],
    ["GET /version", undefined, "200"],
    ["GET /healthz", undefined, "200"],
    ["GET /readyz", undefined, "200"],
    ["GET /api/v1", undefined, "200"],
    ["GET /apis/storage.k8s.io/v1", undefined, "200"],
  ];
  test("is refused with words that name the missing right", () => {
    const { token } = file.cluster.newUser();
    return follow(wire(file.cluster, { token }), steps);
  });

  test("gets the details of a 403 too", async () => {
    const { token } = file.cluster.newUser();
    const { body } = await wire(file.cluster, { token }).get(`${attachments}/a`);
    expect(body.details).toEqual({ name: "a", group: "storage.k8s.io", kind: "volumeattachments" });
  });
});

describe("a user with some rights", () => {
  let user: Wire;
  let name: string;
  beforeAll(async () => {
    const testUser = await userWith(file.cluster, {
      cluster: [
        { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "patch"] },
        { apiGroups: ["storage.k8s.io"], resources: ["volumeattachments/status"], verbs: ["patch"] },
        { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["*"] },
        { apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["known"] },
      ],
      namespaces: { default: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "list"] }] },
    });
    name = testUser.name;
    user = wire(file.cluster, { token: testUser.token });
    await file.admin.post(volumes, volume("rights"));
    await file.admin.post(attachments, attachment("rights"));
  });

  test("does what the roles allow, there and not elsewhere", () =>
    follow(user, [
      [`GET ${volumes}/rights`, undefined, "200"],
      [`GET ${volumes}`, undefined, "200"],
      [`MERGE ${volumes}/rights`, {}, "200"],
      [
        `MERGE ${volumes}/rights/status`,
        {},
        '403 Forbidden: persistentvolumes "rights" is forbidden: User "<user>" cannot patch resource "persistentvolumes/status" in API group "" at the cluster scope',
      ],
      [
        `PUT ${volumes}/rights`,
        volume("rights"),
        '403 Forbidden: persistentvolumes "rights" is forbidden: User "<user>" cannot update resource "persistentvolumes" in API group "" at the cluster scope',
      ],
      [`MERGE ${attachments}/rights/status`, { status: { attached: true } }, "200"],
      [
        `MERGE ${attachments}/rights`,
        {},
        '403 Forbidden: volumeattachments.storage.k8s.io "rights" is forbidden: User "<user>" cannot patch resource "volumeattachments" in API group "storage.k8s.io" at the cluster scope',
      ],
      [
        `GET ${attachments}/rights/status`,
        undefined,
        '403 Forbidden: volumeattachments.storage.k8s.io "rights" is forbidden: User "<user>" cannot get resource "volumeattachments/status" in API group "storage.k8s.io" at the cluster scope',
      ],
      [`POST ${maps}`, configMap("mine"), "201"],
      [`GET ${maps}/mine`, undefined, "200"],
      [
        "GET /api/v1/configmaps",
        undefined,
        '403 Forbidden: configmaps is forbidden: User "<user>" cannot list resource "configmaps" in API group "" at the cluster scope',
      ],
      [
        "GET /api/v1/namespaces/kube-system/configmaps",
        undefined,
        '403 Forbidden: configmaps is forbidden: User "<user>" cannot list resource "configmaps" in API group "" in the namespace "kube-system"',
      ],
      ["GET /api/v1/namespaces/default/secrets/known", undefined, '404 NotFound: secrets "known" not found'],
      [
        "GET /api/v1/namespaces/default/secrets/other",
        undefined,
        '403 Forbidden: secrets "other" is forbidden: User "<user>" cannot get resource "secrets" in API group "" in the namespace "default"',
      ],
      [
        "GET /api/v1/namespaces/default/secrets",
        undefined,
        '403 Forbidden: secrets is forbidden: User "<user>" cannot list resource "secrets" in API group "" in the namespace "default"',
      ],
      ["GET /apis/storage.k8s.io/v1/storageclasses/none", undefined, '404 NotFound: storageclasses.storage.k8s.io "none" not found'],
      ["DELETE /apis/storage.k8s.io/v1/storageclasses/none", undefined, '404 NotFound: storageclasses.storage.k8s.io "none" not found'],
    ]));

  const core = { group: "", version: "v1" };
  const questions: readonly [attributes: object, allowed: boolean][] = [
    [{ ...core, verb: "list", resource: "persistentvolumes" }, true],
    [{ ...core, verb: "update", resource: "persistentvolumes" }, false],
    [{ ...core, verb: "patch", resource: "persistentvolumes", subresource: "status" }, false],
    [{ group: "storage.k8s.io", verb: "patch", resource: "volumeattachments", subresource: "status" }, true],
    [{ group: "storage.k8s.io", verb: "patch", resource: "volumeattachments" }, false],
    [{ group: "storage.k8s.io", verb: "delete", resource: "storageclasses", name: "x" }, true],
    [{ ...core, verb: "get", resource: "configmaps", namespace: "default" }, true],
    [{ ...core, verb: "get", resource: "configmaps" }, false],
    [{ ...core, verb: "get", resource: "secrets", name: "known", namespace: "any" }, true],
    [{ ...core, verb: "get", resource: "secrets" }, false],
    [{ ...core, verb: "*", resource: "*" }, false],
  ];
  test.each([...questions])("may ask about %j", async (attributes, allowed) => {
    const status = await mayDo(user, attributes);
    expect(status.allowed).toBe(allowed);
    const binding =
      "namespace" in attributes && attributes.namespace === "default"
        ? `RoleBinding "${name}/default" of Role`
        : `ClusterRoleBinding "${name}" of ClusterRole`;
    expect(status.reason).toBe(allowed ? `RBAC: allowed by ${binding} "${name}" to User "${name}"` : undefined);
  });
});

test("rights end with their binding", async () => {
  const rule = { apiGroups: [""], resources: ["nodes"], verbs: ["list"] };
  const { name, token } = await userWith(file.cluster, { cluster: [rule] });
  const user = wire(file.cluster, { token });
  expect((await user.get("/api/v1/nodes")).code).toBe(200);
  await file.admin.delete(`${clusterRoleBindings}/${name}`);
  await until("a refusal", async () => (await user.get("/api/v1/nodes")).code === 403);
});

test.each([
  ["a wrong token", { token: "wrong" }, "401 Unauthorized: Unauthorized"],
  [
    "an empty token",
    { token: "" },
    '403 Forbidden: persistentvolumes is forbidden: User "system:anonymous" cannot list resource "persistentvolumes" in API group "" at the cluster scope',
  ],
])("%s", async (_what, credential, said) => {
  expect(outcomeOf(await wire(file.cluster, credential).get(volumes))).toBe(said);
});

test("the anonymous user sees the version and nothing else", () =>
  follow(wire(file.cluster, {}), [
    [
      `GET ${volumes}`,
      undefined,
      '403 Forbidden: persistentvolumes is forbidden: User "system:anonymous" cannot list resource "persistentvolumes" in API group "" at the cluster scope',
    ],
    ["GET /api/v1", undefined, '403 Forbidden: forbidden: User "system:anonymous" cannot get path "/api/v1"'],
    [
      "GET /apis/storage.k8s.io/v1",
      undefined,
      '403 Forbidden: forbidden: User "system:anonymous" cannot get path "/apis/storage.k8s.io/v1"',
    ],
    ["GET /version", undefined, "200"],
  ]));
