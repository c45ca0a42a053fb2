import { describe, expect, test } from "bun:test";
import { readCommandLine } from "@csi-sidecars/host";
import { VolumeAttributesClass } from "@csi-sidecars/kube";
import { runInProcess } from "@csi-sidecars/testcluster";
import { provisioner } from "./component.ts";

const program = { form: "individual", name: "csi-provisioner", component: provisioner } as const;

describe("the provisioner's descriptor", () => {
  test("upstream's lease", () => {
    expect(provisioner.legacyLease?.("ebs.csi.aws.com")).toBe("ebs.csi.aws.com");
    expect(provisioner.legacyLease?.("example.com/driver")).toBe("example.com-driver");
  });

  test.each([
    ["individual", "/no/such/variable", "/no/such/flag"],
    ["all-in-one", "/no/such/flag", "/no/such/variable"],
  ] as const)("KUBECONFIG replaces --kubeconfig in upstream's program, and only there: %s", async (form, used, unused) => {
    const env = { KUBECONFIG: "/no/such/variable" };
    await using run = await runInProcess([provisioner], ["--kubeconfig=/no/such/flag"], { form, env });
    expect([await run.exit, run.output()]).toEqual([1, expect.stringContaining(used)]);
    expect(run.output()).not.toContain(unused);
  });

  test.each([
    ["--volume-name-uuid-length=33", "between 1 and 32"],
    ["--volume-name-uuid-length=-2", "between 1 and 32"],
    ["--volume-name-prefix=", "must not be empty"],
    ["--volume-name-prefix=My_Volumes", "must begin a valid name"],
    ["--volume-name-prefix=-a", "must begin a valid name"],
    ["--volume-name-prefix=a.", "must begin a valid name"],
    ["--volume-name-prefix=\u00fc", "must begin a valid name"],
    [`--volume-name-prefix=${"a".repeat(217)}`, "must begin a valid name"],
    ["--worker-threads=0", "must be greater than zero"],
    ["--timeout=0", "for flag --timeout: must be greater than zero"],
    ["--retry-interval-start=0", "for flag --retry-interval-start: must be greater than zero"],
    ["--retry-interval-max=-1s", "for flag --retry-interval-max: must be greater than zero"],
    ["--capacity-threads=0", "for flag --capacity-threads: must be greater than zero"],
    ["--capacity-poll-interval=0", "for flag --capacity-poll-interval: must be greater than zero"],
    ["--capacity-poll-interval=-1m", "for flag --capacity-poll-interval: must be greater than zero"],
    ["--node-deployment-base-delay=-1s", "for flag --node-deployment-base-delay: must not be negative"],
    ["--node-deployment-max-delay=-1s", "for flag --node-deployment-max-delay: must not be negative"],
  ])("%s is refused at the start", (flag, text) => {
    expect(JSON.stringify(readCommandLine(program, [flag]))).toContain(text);
  });

  test.each([
    "--volume-name-prefix=team-1.vol",
    `--volume-name-prefix=${"a".repeat(216)}`,
    "--volume-name-prefix=7",
    "--snapshot-orphan-sweep-interval=0",
    "--snapshot-orphan-sweep-interval=-1s",
  ])("%s is accepted, as upstream's", (flag) => {
    expect(JSON.stringify(readCommandLine(program, [flag]))).toContain('"problems":[]');
  });

  test.each<[string, object, Record<string, string>, readonly string[]]>([
    ["nothing special", {}, {}, []],
    ["a node's own", { nodeDeployment: true }, {}, ["The NODE_NAME environment variable must be set when using --node-deployment"]],
    ["a node's own, with its name", { nodeDeployment: true }, { NODE_NAME: "n" }, []],
    [
      "capacity",
      { enableCapacity: true, capacityOwnerrefLevel: 1 },
      {},
      ["need NAMESPACE env variable for CSIStorageCapacity objects", "need POD_NAME env variable to determine CSIStorageCapacity owner"],
    ],
    ["capacity without owner", { enableCapacity: true, capacityOwnerrefLevel: -1 }, { NAMESPACE: "n" }, []],
  ])("what the environment lacks: %s", (_, flags, env, problems) => {
    const flagName = (flag: string) => flag;
    expect(
      provisioner.missingEnvironment?.({ nodeDeployment: false, enableCapacity: false, ...flags } as never, { env, flagName }),
    ).toEqual([...problems]);
  });

  test.each([
    ["--kube-api-capacity-burst=0", true],
    ["--kube-api-capacity-burst=-1", true],
    ["--kube-api-capacity-qps=-1 --kube-api-capacity-burst=-1", false],
    ["--kube-api-capacity-qps=0 --kube-api-capacity-burst=0", false],
  ])("%s with capacity: refused %p, and never without", (line, refused) => {
    const text = "--kube-api-capacity-burst must be greater than zero";
    const answer = (...more: string[]) => JSON.stringify(readCommandLine(program, [...line.split(" "), ...more]));
    expect(answer("--enable-capacity").includes(text)).toBe(refused);
    expect(answer()).not.toContain(text);
  });

  test("attributes classes are used only where the cluster has them", () => {
    expect(provisioner.gates?.VolumeAttributesClass?.needs).toBe(VolumeAttributesClass);
  });
});

describe("what the provisioner must be allowed", () => {
  const defaults = Object.fromEntries(
    Object.entries(provisioner.flags).map(([name, { initial }]) => [
      name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase()),
      initial,
    ]),
  );
  const rules = (flags: object) => provisioner.rbac({ ...defaults, ...flags } as never);
  const resources = (flags: object) => rules(flags).cluster.flatMap((rule) => rule.resources);

  test("claims are updated and never patched, secrets are read one by one", () => {
    const verbs = (resource: string) => rules({}).cluster.find((rule) => rule.resources.includes(resource))?.verbs;
    expect(verbs("persistentvolumeclaims")).toEqual(["get", "list", "watch", "update"]);
    expect(verbs("secrets")).toEqual(["get"]);
  });

  test("events are written about claims of any namespace", () => {
    expect(rules({}).cluster).toContainEqual({ apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] });
  });

  test("nodes are not read by an instance that knows its own", () => {
    expect(resources({})).toContain("nodes");
    expect(resources({ nodeDeployment: true })).not.toContain("nodes");
  });

  test("capacity needs rules in its own namespace", () => {
    expect(rules({}).namespaced).toEqual([]);
    expect(rules({ enableCapacity: true }).namespaced[0]?.resources).toEqual(["csistoragecapacities"]);
  });
});
