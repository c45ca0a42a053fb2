import { expect, test } from "bun:test";
import { describeKubectl, nothing } from "./testing/kubectl.ts";
import { gadget, gadgetDefinition } from "./testing/kubectl-world.ts";

const storageClass = (name: string, members = "") => `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: ${name}
  labels: {speed: high}
provisioner: csi.example.com
parameters: {pool: ssd}
${members}`;

const deployment = (image: string, env: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: side, image: "side:1"}
      - {name: main, image: "${image}", env: [${env}]}
`;

const held = (name: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, labels: {held: "yes"}, finalizers: [example.com/hold]}
`;

describeKubectl("writes", nothing, (world) => {
  test("apply creates, leaves unchanged, updates, and removes fields", async () => {
    world.kubectl.file("class.yaml", storageClass("applied"));
    expect(await world.kubectl.says("apply -f class.yaml")).toBe("storageclass.storage.k8s.io/applied created\n");
    expect(await world.kubectl.says("apply -f class.yaml")).toBe("storageclass.storage.k8s.io/applied unchanged\n");
    expect((await world.kubectl.run("diff -f class.yaml")).code).toBe(0);
    world.kubectl.file(
      "class.yaml",
      storageClass("applied", "allowVolumeExpansion: true").replace("labels: {speed: high}", "labels: {size: large}"),
    );
    expect(await world.kubectl.says("apply -f class.yaml --dry-run=server")).toBe(
      "storageclass.storage.k8s.io/applied configured (server dry run)\n",
    );
    const difference = await world.kubectl.run("diff -f class.yaml");
    expect(difference.code).toBe(1);
    expect(difference.stdout.match(/^[-+] *(?:speed|size|allow).*$/gm)?.toString()).toBe(
      "+allowVolumeExpansion: true,-    speed: high,+    size: large",
    );
    expect(await world.kubectl.says("apply -f class.yaml")).toBe("storageclass.storage.k8s.io/applied configured\n");
    expect(await world.kubectl.says("get sc applied -o jsonpath={.metadata.labels}{.allowVolumeExpansion}")).toBe('{"size":"large"}true');
  });

  test("apply merges lists by key and keeps what others have added", async () => {
    world.kubectl.file("web.yaml", deployment("main:1", "{name: A, value: a}, {name: B, value: b}"));
    await world.kubectl.says("apply -f web.yaml");
    const addition = [{ op: "add", path: "/spec/template/spec/containers/-", value: { name: "injected", image: "injected:1" } }];
    await world.kubectl.says(["patch", "deployment", "web", "--type=json", "-p", JSON.stringify(addition)]);
    world.kubectl.file("web.yaml", deployment("main:2", "{name: B, value: c}"));
    expect(await world.kubectl.says("apply -f web.yaml")).toBe("deployment.apps/web configured\n");
    const containers = JSON.parse(await world.kubectl.says("get deployment web -o jsonpath={.spec.template.spec.containers}"));
    const seen = containers.map(({ name, image, env }: { name: string; image: string; env?: unknown }) => [name, image, env]);
    expect(seen.toSorted()).toEqual([
      ["injected", "injected:1", undefined],
      ["main", "main:2", [{ name: "B", value: "c" }]],
      ["side", "side:1", undefined],
    ]);
  });

  test("an unknown field is refused, or accepted with a warning", async () => {
    world.kubectl.file("strange.yaml", storageClass("strange", "reclaim: Delete\nmountOptions: []\nfoo: {bar: 1}"));
    expect(await world.kubectl.refuses("apply -f strange.yaml")).toBe(
      'Error from server (BadRequest): error when creating "strange.yaml": StorageClass in version "v1" cannot be handled as a StorageClass: strict decoding error: unknown field "foo", unknown field "reclaim"\n',
    );
    const warned = await world.kubectl.run("apply -f strange.yaml --validate=warn");
    expect([warned.stdout, warned.stderr]).toEqual([
      "storageclass.storage.k8s.io/strange created\n",
      'Warning: unknown field "foo"\nWarning: unknown field "reclaim"\n',
    ]);
    expect(await world.kubectl.says("get sc strange -o jsonpath={.foo}{.reclaim}")).toBe("");
    const patched = await world.kubectl.run(["patch", "sc", "strange", "--type=merge", "-p", '{"nope":1}']);
    expect([patched.stdout, patched.stderr]).toEqual([
      "storageclass.storage.k8s.io/strange patched (no change)\n",
      'Warning: unknown field "nope"\n',
    ]);
    world.kubectl.file("invalid.yaml", storageClass("invalid", "reclaimPolicy: Recycle"));
    expect(await world.kubectl.refuses("create -f invalid.yaml")).toMatch(
      /^The StorageClass "invalid" is invalid: reclaimPolicy: Unsupported value: "Recycle"/,
    );
  });

  test("a new kind can be used at once: shown, applied, patched, waited for, explained, deleted", async () => {
    world.kubectl.file("definition.json", JSON.stringify(gadgetDefinition));
    world.kubectl.file("gadget.json", JSON.stringify(gadget));
    expect(await world.kubectl.says("apply -f definition.json")).toBe(
      "customresourcedefinition.apiextensions.k8s.io/gadgets.example.com created\n",
    );
    await world.kubectl.says("wait --for=condition=Established crd gadgets.example.com --timeout=20s");
    expect(await world.kubectl.says("apply -f gadget.json")).toBe("gadget.example.com/g1 created\n");
    world.kubectl.file("gadget.json", JSON.stringify({ ...gadget, spec: { size: 4 } }));
    expect(await world.kubectl.says("apply -f gadget.json")).toBe("gadget.example.com/g1 configured\n");
    expect(await world.kubectl.refuses(["patch", "ga", "g1", "-p", "{}"])).toContain("application/merge-patch+json");
    const status = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    await world.kubectl.says(["patch", "ga", "g1", "--type=merge", "--subresource=status", "-p", JSON.stringify(status)]);
    expect(await world.kubectl.says("wait --for=condition=Ready ga/g1 --timeout=20s")).toBe("gadget.example.com/g1 condition met\n");
    await until(async () => (await world.kubectl.run("explain ga.spec.size")).stdout.includes("How large."));
    expect(await world.kubectl.says("explain ga.spec")).toMatch(
      /GROUP: +example.com\nKIND: +Gadget\nVERSION: +v1\n\nFIELD: spec <Object>[\s\S]*What it should be\.[\s\S]*size\t<integer>/,
    );
    world.kubectl.file("strange.json", JSON.stringify({ ...gadget, spec: { seize: 4 } }));
    expect(await world.kubectl.refuses("replace -f strange.json")).toContain('strict decoding error: unknown field "spec.seize"');
    expect(await world.kubectl.says("delete -f gadget.json")).toBe('gadget.example.com "g1" deleted\n');
  });

  test("apply --server-side shares an object with other managers, and reports conflicts", async () => {
    const colours = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: colours}\ndata: {${data}}\n`;
    const said = "configmap/colours serverside-applied\n";
    expect(await world.kubectl.says("apply --server-side -f -", colours("sky: blue, sea: green"))).toBe(said);
    expect(await world.kubectl.says("apply --server-side --field-manager=painter -f -", colours("sun: red"))).toBe(said);
    expect(await world.kubectl.refuses("apply --server-side --field-manager=painter -f -", colours("sky: black"))).toStartWith(
      'error: Apply failed with 1 conflict: conflict with "kubectl": .data.sky\n',
    );
    expect(await world.kubectl.says("apply --server-side --force-conflicts --field-manager=painter -f -", colours("sky: black"))).toBe(
      said,
    );
    expect(await world.kubectl.says("get cm colours -o jsonpath={.data}")).toBe('{"sea":"green","sky":"black"}');
    expect(await world.kubectl.says("apply --server-side -f - --dry-run=server", colours("sea: green"))).toBe(
      "configmap/colours serverside-applied (server dry run)\n",
    );
  });

  const small: readonly [args: string | readonly string[], said: string][] = [
    ["create configmap small --from-literal=a=b", "configmap/small created\n"],
    ["create secret generic small --from-literal=password=s3cret", "secret/small created\n"],
    ["create serviceaccount small", "serviceaccount/small created\n"],
    ["create deployment small --image=small:1 --replicas=0", "deployment.apps/small created\n"],
    ["create role small --verb=get,list --resource=persistentvolumeclaims", "role.rbac.authorization.k8s.io/small created\n"],
    ["create rolebinding small --role=small --serviceaccount=default:small", "rolebinding.rbac.authorization.k8s.io/small created\n"],
    ["create namespace small --dry-run=server", "namespace/small created (server dry run)\n"],
    ["get secret small -o jsonpath={.type}{.data}", 'Opaque{"password":"czNjcmV0"}'],
    ["get deployment small -o jsonpath={.spec.replicas}{.spec.template.spec.containers[0].image}", "0small:1"],
    ["get role small -o jsonpath={.rules}", '[{"apiGroups":[""],"resources":["persistentvolumeclaims"],"verbs":["get","list"]}]'],
    ["label cm small tier=gold", "configmap/small labeled\n"],
    ["label cm small tier=silver --overwrite", "configmap/small labeled\n"],
    ["label cm small tier-", "configmap/small unlabeled\n"],
    ["annotate cm small note=x", "configmap/small annotated\n"],
    ["annotate cm small note-", "configmap/small annotated\n"],
    [["patch", "cm", "small", "-p", '{"data":{"c":"d"}}'], "configmap/small patched\n"],
    [["patch", "cm", "small", "--type=merge", "-p", '{"data":{"a":null}}'], "configmap/small patched\n"],
    [["patch", "cm", "small", "--type=json", "-p", '[{"op":"add","path":"/data/e","value":"f"}]'], "configmap/small patched\n"],
    [["patch", "cm", "small", "-p", '{"data":{"c":"d"}}'], "configmap/small patched (no change)\n"],
    ["get cm small -o jsonpath={.data}{.metadata.labels}", '{"c":"d","e":"f"}'],
    ["set image deployment/small small=small:2", "deployment.apps/small image updated\n"],
    ["run once --image=once:1 --restart=Never", "pod/once created\n"],
    ["expose pod once --port=80 --name=once --labels=a=b --selector=run=once", "service/once exposed\n"],
    ["wait --for=jsonpath={.status.phase}=Pending pod/once --timeout=20s", "pod/once condition met\n"],
    ["delete pod/once svc/once", 'pod "once" deleted\nservice "once" deleted\n'],
    ["delete cm,secret small --cascade=background", 'configmap "small" deleted\nsecret "small" deleted\n'],
    ["delete cm small --ignore-not-found", ""],
  ];
  test("small writes print what they did", async () => {
    const seen: [string | readonly string[], string][] = [];
    for (const [args] of small) seen.push([args, await world.kubectl.says(args)]);
    expect(seen).toEqual(small.map(([args, said]) => [args, said]));
  });

  test("edit opens an editor and saves the result", async () => {
    await world.kubectl.says("create configmap edited --from-literal=a=before");
    const { stdout } = await world.kubectl.run("edit configmap edited", { env: { KUBE_EDITOR: "sed -i s/before/after/" } });
    expect(stdout).toBe("configmap/edited edited\n");
    expect(await world.kubectl.says("get cm edited -o jsonpath={.data.a}")).toBe("after");
  });

  test("delete waits for finalizers, and wait for a deletion too", async () => {
    await world.kubectl.says("create -f -", held("held"));
    await using deleting = world.kubectl.start("delete configmap held");
    await deleting.prints('configmap "held" deleted');
    await using waiting = world.kubectl.start("wait --for=delete configmap/held --timeout=20s");
    await until(async () => (await world.cluster.requests({ resource: "configmaps", verb: "watch" })).length >= 2);
    expect(await world.kubectl.says("get configmap held -o jsonpath={.metadata.finalizers}")).toBe('["example.com/hold"]');
    await world.kubectl.says(["patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
    await waiting.prints("configmap/held condition met");
    expect(await world.kubectl.refuses("get configmap held")).toContain("not found");
  });

  test("delete without waiting, and of everything that is selected", async () => {
    await world.kubectl.says("create -f -", held("left"));
    await world.kubectl.says("create configmap other");
    expect(await world.kubectl.says("delete configmap -l held=yes --wait=false --cascade=orphan")).toBe('configmap "left" deleted\n');
    expect(await world.kubectl.says("get configmap left -o jsonpath={.metadata.finalizers}")).toBe('["example.com/hold","orphan"]');
    await world.kubectl.says(["patch", "configmap", "left", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
    expect(await world.kubectl.says("get configmap other -o name")).toBe("configmap/other\n");
    const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
    await world.kubectl.says("create -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: [lease("one"), lease("two")] }));
    expect(await world.kubectl.says("delete lease --all")).toBe(
      'lease.coordination.k8s.io "one" deleted\nlease.coordination.k8s.io "two" deleted\n',
    );
  });

  test("wait times out", async () => {
    await world.kubectl.says("create configmap still");
    expect(await world.kubectl.refuses("wait --for=jsonpath={.data.x}=y configmap/still --timeout=100ms")).toBe(
      "error: timed out waiting for the condition on configmaps/still\n",
    );
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await Bun.sleep(50)) if (await holds()) return;
  throw new Error("it did not come true within 20 s");
}
