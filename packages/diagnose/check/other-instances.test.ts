import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { component, type SidecarProgram } from "@csi-sidecars/host";
import { Lease, microTime, Namespace, Pod } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { mover as base, individual } from "../testing/programs.ts";
import { startDriver } from "../testing/test-driver.ts";
import { checkCommand } from "./check-command.ts";

const mover = component({ ...base, legacyLease: (driver) => `external-mover-leader-${driver}` });
/** One for all drivers. */
const warner = component({
  ...base,
  ...{ name: "warner", standalone: "volume-warner", driver: "none", legacyLease: () => "warner-leader" },
});
const allInOne: SidecarProgram = { name: "csi-sidecars", version: "v1", form: "all-in-one", components: [mover, warner] };

/** What `check` says about controllers that do not simply run. */
async function warnings(cluster: Cluster, line: string, { program = allInOne, token = cluster.adminToken } = {}) {
  const files = { read: () => cluster.kubeconfig(token) };
  const argv = ["--kubeconfig=/kubeconfig", "-o=json", ...line.split(" ").filter((word) => word !== "")];
  const { stdout } = await checkCommand(argv, program, { env: { POD_NAMESPACE: "default" }, clock: systemClock, files });
  const { findings }: { findings: { severity: string; area: string; who: string; message: string; remedy?: string }[] } =
    JSON.parse(stdout);
  const found = findings.filter(({ area, severity }) => area === "controller" && severity === "warning");
  return found.map(({ who, message, remedy }) => `${who}: ${message.replace(/\d+s ago/, "now")} -> ${remedy}`);
}

const lease = ({ admin }: Cluster, namespace: string, name: string, holderIdentity: string, renewedAgoMs = 0) =>
  admin.create(Lease, {
    metadata: { namespace, name },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: microTime(Date.now() - renewedAgoMs) },
  });

test("a component that is one for the whole cluster runs in another namespace too", async () => {
  await using cluster = await startCluster();
  for (const name of ["storage", "old", "free"]) await cluster.admin.create(Namespace, { metadata: { name } });
  await lease(cluster, "default", "warner-leader", "ours");
  await lease(cluster, "storage", "warner-leader", "theirs");
  await lease(cluster, "old", "warner-leader", "dead", 60_000);
  await lease(cluster, "free", "warner-leader", "");
  const expected = [
    "warner: runs in namespace storage too: Lease storage/warner-leader is held by theirs, renewed now -> run it in one namespace of the cluster only",
  ];
  expect(await warnings(cluster, "--controllers=warner")).toEqual(expected);
  expect(await warnings(cluster, "", { program: individual(warner) })).toEqual(expected);
  const unread = await warnings(cluster, "--controllers=warner", { token: cluster.newUser().token });
  expect(unread.some((each) => each.includes("not judged: could not read leases: needs list on leases.coordination.k8s.io"))).toBe(true);
});

test("the sidecar that a component replaces holds its lease", async () => {
  await using cluster = await startCluster();
  await using driver = await startDriver();
  const line = `--controllers=mover --csi-address=${driver.address}`;
  const name = "external-mover-leader-driver-example-com";
  const written = await lease(cluster, "default", name, "old-pod");
  const expected = `mover: csi-mover seems to run beside it: Lease default/${name} is held by old-pod, renewed now -> stop csi-mover: docs/migration.md says how`;
  expect(await warnings(cluster, line)).toEqual([expected]);
  expect(await warnings(cluster, `${line} --leader-election-lease-name=${name}`)).toEqual([]);
  expect(await warnings(cluster, `--csi-address=${driver.address}`, { program: individual(mover) })).toEqual([]);

  await cluster.admin.create(Namespace, { metadata: { name: "old" } });
  await lease(cluster, "old", name, "older-pod");
  const elsewhere =
    `mover: csi-mover seems to run beside it: Lease old/${name} is held by older-pod, renewed now, and is not waited for: ` +
    "the leases of this process are in default -> stop csi-mover: docs/migration.md says how";
  expect((await warnings(cluster, line)).toSorted()).toEqual([expected, elsewhere].toSorted());
  await cluster.admin.delete(Lease, { namespace: "old", name });

  const migrates = { ...written.spec, holderIdentity: "pod_csi-sidecars_csi-sidecars-driver-example-com_x1" };
  await cluster.admin.update(Lease, { ...written, spec: migrates });
  expect(await warnings(cluster, line)).toEqual([]);
});

test("a container of the sidecar that a component replaces is left in the pod", async () => {
  await using cluster = await startCluster();
  await using driver = await startDriver();
  const pod = (name: string, ...images: string[]) =>
    cluster.admin.create(Pod, {
      metadata: { namespace: "default", name },
      spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) },
    });
  await pod("other-driver", "registry.k8s.io/sig-storage/csi-mover:v4.8.0");
  await pod("controller-0", "example.com:5000/csi-sidecars:v1", "registry.k8s.io/sig-storage/csi-mover:v4.8.0@sha256:00");
  await pod("controller-1", "example.com:5000/csi-sidecars:v1", "registry.k8s.io/sig-storage/csi-mover:v4.8.0@sha256:00");
  expect(await warnings(cluster, `--controllers=mover --csi-address=${driver.address}`)).toEqual([
    expect.stringMatching(
      /^mover: container c1 of pod default\/controller-\d does the same: image \S+ -> remove that container, or leave this controller out with --controllers=\*,-mover$/,
    ),
  ]);
  expect(await warnings(cluster, "--controllers=warner")).toEqual([]);
});
