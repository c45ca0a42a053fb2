import { beforeAll, describe, expect, test } from "bun:test";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "../testing/fixtures.ts";
import { type Rule, userWith } from "../testing/grant.ts";
import { follow } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const group = "rbac.authorization.k8s.io";
/** All but the verbs that let more be given than one has. */
const writeOnly: Rule = {
  apiGroups: [group],
  resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
  verbs: ["get", "create", "update", "patch", "delete"],
};
const readVolumes: Rule = { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch"] };
const oneSecret: Rule = { apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["known"] };

const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: to },
  subjects: [{ apiGroup: group, kind: "User", name: "somebody" }],
});
const refused = (resource: string, name: string) =>
  `403 Forbidden: ${resource}.${group} "${name}" is forbidden: user "<user>" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:`;

describe("who may write roles but has few rights", () => {
  let user: Wire;
  let name: string;
  beforeAll(async () => {
    const made = await userWith(file.cluster, {
      cluster: [writeOnly, readVolumes, oneSecret, { apiGroups: ["storage.k8s.io"], resources: ["*/status"], verbs: ["patch"] }],
      namespaces: { default: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }] },
    });
    name = made.name;
    user = wire(file.cluster, { token: made.token });
    await file.admin.post(clusterRoles, role("much", { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }));
    await file.admin.post(clusterRoles, role("little", readVolumes));
    await file.admin.post(roles, role("local", { apiGroups: [""], resources: ["pods"], verbs: ["get"] }));
  });

  test("grants what it has, in the whole cluster or where it has it", () =>
    follow(user, [
      [`POST ${clusterRoles}`, role("a", readVolumes, oneSecret), "201"],
      [
        `POST ${clusterRoles}`,
        role("b", { apiGroups: ["storage.k8s.io"], resources: ["volumeattachments/status"], verbs: ["patch"] }),
        "201",
      ],
      [`POST ${roles}`, role("c", { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "*"] }), "201"],
      [`POST ${clusterRoleBindings}`, binding("d", "ClusterRole", "little"), "201"],
      [`POST ${roleBindings}`, binding("e", "ClusterRole", "little"), "201"],
      [`MERGE ${clusterRoles}/a`, { metadata: { labels: { x: "y" } } }, "200"],
    ]));

  test("grants nothing that it has not", () =>
    follow(user, [
      [`POST ${clusterRoles}`, role("f", { ...readVolumes, verbs: ["get", "delete"] }), refused("clusterroles", "f")],
      [`POST ${clusterRoles}`, role("f", { ...oneSecret, resourceNames: ["other"] }), refused("clusterroles", "f")],
      [`POST ${clusterRoles}`, role("f", { ...oneSecret, resourceNames: [] }), refused("clusterroles", "f")],
      [`POST ${clusterRoles}`, role("f", { ...readVolumes, verbs: ["*"] }), refused("clusterroles", "f")],
      [`POST ${clusterRoles}`, role("f", { nonResourceURLs: ["/metrics/more"], verbs: ["get"] }), refused("clusterroles", "f")],
      [`POST ${clusterRoles}`, role("f", { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }), refused("clusterroles", "f")],
      [`POST ${roles}`, role("f", { apiGroups: [""], resources: ["pods"], verbs: ["get"] }), refused("roles", "f")],
      [`POST ${clusterRoleBindings}`, binding("f", "ClusterRole", "much"), refused("clusterrolebindings", "f")],
      [`POST ${roleBindings}`, binding("f", "Role", "local"), refused("rolebindings", "f")],
      [`POST ${clusterRoles}`, role("g"), "201"],
      [`MERGE ${clusterRoles}/g`, { rules: [{ ...readVolumes, verbs: ["delete"] }] }, refused("clusterroles", "g")],
      [
        `POST ${clusterRoles}`,
        { ...role("f"), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
        `403 Forbidden: clusterroles.${group} "f" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
      ],
    ]));

  test("changes who holds an object that grants more than it has", () =>
    follow(user, [[`MERGE ${clusterRoles}/much`, { metadata: { finalizers: ["example.com/x"] } }, "200"]]).finally(() =>
      file.admin.request("PATCH", `${clusterRoles}/much`, { metadata: { finalizers: null } }, "application/merge-patch+json"),
    ));

  test("cannot bind a role that is not there", () =>
    follow(user, [
      [`POST ${clusterRoleBindings}`, binding("h", "ClusterRole", "none"), `404 NotFound: clusterrolebindings.${group} "none" not found`],
      [`POST ${roleBindings}`, binding("h", "Role", "none"), `404 NotFound: rolebindings.${group} "none" not found`],
    ]));

  test("is told all that is missing, by resource", async () => {
    const wanted = [
      { apiGroups: ["", "apps"], resources: ["pods"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["a", "known"] },
      { nonResourceURLs: ["/metrics/more"], verbs: ["get", "post"] },
    ];
    const { body } = await user.post(clusterRoles, role("i", ...wanted));
    expect(body.message.split("\n")).toEqual([
      `clusterroles.${group} "i" is forbidden: user "${name}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:`,
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/metrics/more"], Verbs:["get"]}',
      '{NonResourceURLs:["/metrics/more"], Verbs:["post"]}',
    ]);
  });
});

test("who may escalate and bind grants what it has not", async () => {
  const escalating: Rule = { apiGroups: [group], resources: ["clusterroles"], verbs: ["escalate"] };
  const bindingOne: Rule = { apiGroups: [group], resources: ["clusterroles"], verbs: ["bind"], resourceNames: ["cluster-admin"] };
  const { token } = await userWith(file.cluster, { cluster: [writeOnly, escalating, bindingOne] });
  await follow(wire(file.cluster, { token }), [
    [`POST ${clusterRoles}`, role("j", { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }), "201"],
    [`POST ${roles}`, role("j", readVolumes), refused("roles", "j")],
    [`POST ${clusterRoleBindings}`, binding("k", "ClusterRole", "cluster-admin"), "201"],
    [`POST ${roleBindings}`, binding("k", "ClusterRole", "cluster-admin"), "201"],
    [`POST ${clusterRoleBindings}`, binding("l", "ClusterRole", "j"), refused("clusterrolebindings", "l")],
  ]);
});
