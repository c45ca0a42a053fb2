import { execFileSync } from "node:child_process";
import { type Client, isAlreadyExists, type KubeObject, type Resource, resource } from "@csi-sidecars/kube";
import { parseAllDocuments } from "yaml";

const kinds: readonly Resource[] = [
  rbac("clusterroles", "ClusterRole", false),
  rbac("clusterrolebindings", "ClusterRoleBinding", false),
  rbac("roles", "Role", true),
  rbac("rolebindings", "RoleBinding", true),
];

function rbac(plural: string, kind: string, namespaced: boolean): Resource {
  return resource("rbac.authorization.k8s.io/v1", plural, kind, { namespaced });
}

/** Grants the roles that a program prints for these flags. Those of an earlier run are replaced. */
export async function grantRoles(admin: Client, program: string, flags: readonly string[]): Promise<void> {
  const manifests = execFileSync(program, ["rbac", ...flags], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  for (const document of parseAllDocuments(manifests)) {
    const role: KubeObject = document.toJS();
    const kind = kinds.find((candidate) => candidate.kind === role.kind);
    if (!kind) throw new Error(`${program} rbac prints a ${role.kind}, which the playground does not know`);
    await admin.create(kind, role).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return admin.update(kind, role);
    });
  }
}
