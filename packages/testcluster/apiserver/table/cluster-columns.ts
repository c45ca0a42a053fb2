import { arrayAt, at, isObject, type JsonObject, objectAt, stringAt } from "../../rules/json.ts";
import { age, type Column, column, createdAt, labelText, member, nameColumn, since, wide } from "./column.ts";

const sizeOf = (object: JsonObject, ...members: string[]): number =>
  members.reduce((sum, name) => sum + Object.keys(objectAt(object, name)).length, 0);

function nodeStatus(node: JsonObject): string {
  const ready = arrayAt(node, "status", "conditions")
    .filter(isObject)
    .find((one) => one.type === "Ready");
  const status = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return at(node, "spec", "unschedulable") === true ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles(node: JsonObject): string {
  const roles = Object.entries(objectAt(node, "metadata", "labels")).flatMap(([label, value]) => {
    if (label.startsWith(rolePrefix)) return label === rolePrefix ? [] : [label.slice(rolePrefix.length)];
    return label === "kubernetes.io/role" && value !== "" ? [String(value)] : [];
  });
  return [...new Set(roles)].sort().join(",") || "<none>";
}

const address = (type: string) => (node: JsonObject) => {
  const found = arrayAt(node, "status", "addresses").find((one) => at(one, "type") === type);
  return stringAt(found, "address") || "<none>";
};

const info = (name: string, field: string): Column =>
  wide(column(name, (node) => stringAt(node, "status", "nodeInfo", field) || "<unknown>"));

const nodes: readonly Column[] = [
  nameColumn(),
  column("Status", nodeStatus),
  column("Roles", nodeRoles),
  age,
  member("Version", ["status", "nodeInfo", "kubeletVersion"]),
  wide(column("Internal-IP", address("InternalIP"))),
  wide(column("External-IP", address("ExternalIP"))),
  info("OS-Image", "osImage"),
  info("Kernel-Version", "kernelVersion"),
  info("Container-Runtime", "containerRuntimeVersion"),
];

function portText(port: unknown): string {
  const node = at(port, "nodePort");
  return `${at(port, "port")}${node ? `:${node}` : ""}/${stringAt(port, "protocol")}`;
}

const services: readonly Column[] = [
  nameColumn(),
  member("Type", ["spec", "type"]),
  column("Cluster-IP", (service) => stringAt(service, "spec", "clusterIP") || "<none>"),
  column("External-IP", externalAddress),
  column("Port(s)", (service) => arrayAt(service, "spec", "ports").map(portText).join(",") || "<none>"),
  age,
  wide(column("Selector", (service) => labelText(objectAt(service, "spec", "selector")))),
];

function externalAddress(service: JsonObject): string {
  const own = arrayAt(service, "spec", "externalIPs").join(",");
  switch (stringAt(service, "spec", "type")) {
    case "ExternalName":
      return stringAt(service, "spec", "externalName") || "<none>";
    case "LoadBalancer":
      return own || "<pending>";
    default:
      return own || "<none>";
  }
}

const subjects = (name: string, kind: string): Column =>
  wide(
    column(name, (binding) =>
      arrayAt(binding, "subjects")
        .filter((subject) => stringAt(subject, "kind") === kind)
        .map((subject) =>
          kind === "ServiceAccount" ? `${stringAt(subject, "namespace")}/${stringAt(subject, "name")}` : stringAt(subject, "name"),
        )
        .join(", "),
    ),
  );

const bindings: readonly Column[] = [
  nameColumn(),
  column("Role", (binding) => `${stringAt(binding, "roleRef", "kind")}/${stringAt(binding, "roleRef", "name")}`),
  age,
  subjects("Users", "User"),
  subjects("Groups", "Group"),
  subjects("ServiceAccounts", "ServiceAccount"),
];

/** The columns of kinds that every cluster has, by group resource. */
export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  configmaps: [nameColumn(), column("Data", (object) => sizeOf(object, "data", "binaryData")), age],
  namespaces: [nameColumn(), member("Status", ["status", "phase"]), age],
  nodes,
  secrets: [nameColumn(), member("Type", ["type"]), column("Data", (object) => sizeOf(object, "data")), age],
  services,
  "clusterrolebindings.rbac.authorization.k8s.io": bindings,
  "clusterroles.rbac.authorization.k8s.io": [nameColumn(), createdAt],
  "customresourcedefinitions.apiextensions.k8s.io": [nameColumn(), createdAt],
  "leases.coordination.k8s.io": [nameColumn(), member("Holder", ["spec", "holderIdentity"]), age],
  "rolebindings.rbac.authorization.k8s.io": bindings,
  "roles.rbac.authorization.k8s.io": [nameColumn(), createdAt],
};

const firstSeen = (event: JsonObject): string => stringAt(event, "firstTimestamp") || stringAt(event, "eventTime");

const lastSeen = (event: JsonObject): string =>
  stringAt(event, "series", "lastObservedTime") || stringAt(event, "lastTimestamp") || firstSeen(event);

/** The columns of events in both API groups. */
export const eventColumns: readonly Column[] = [
  column("Last Seen", (event, now) => since(lastSeen(event), now)),
  member("Type", ["type"]),
  member("Reason", ["reason"]),
  column("Object", (event) => {
    const kind = stringAt(event, "involvedObject", "kind").toLowerCase();
    const name = stringAt(event, "involvedObject", "name");
    return name === "" ? kind : `${kind}/${name}`;
  }),
  wide(member("Subobject", ["involvedObject", "fieldPath"])),
  wide(
    column("Source", (event) => {
      const component = stringAt(event, "source", "component") || stringAt(event, "reportingComponent");
      const instance = stringAt(event, "source", "host") || stringAt(event, "reportingInstance");
      return instance === "" ? component : `${component}, ${instance}`;
    }),
  ),
  column("Message", (event) => stringAt(event, "message").trim()),
  wide(column("First Seen", (event, now) => since(firstSeen(event), now))),
  wide(column("Count", (event) => at(event, "series", "count") ?? (event.count || 1))),
  wide(nameColumn()),
];
