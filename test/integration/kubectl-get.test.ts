import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { describeKubectl } from "./testing/kubectl.ts";
import { settle } from "./testing/kubectl-world.ts";

describeKubectl("get", settle, (world) => {
  const printed: readonly [args: string, lines: readonly string[]][] = [
    [
      "get pvc",
      [
        "NAME      STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE",
        "data      Pending   pv-1     0                         fast           <unset>                 <age>",
        "scratch   Pending                                      fast           <unset>                 <age>",
      ],
    ],
    [
      "get pv -o wide",
      [
        "NAME   CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS    CLAIM          STORAGECLASS   VOLUMEATTRIBUTESCLASS   REASON   AGE   VOLUMEMODE",
        "pv-1   1Gi        RWO            Retain           Pending   default/data   fast           <unset>                          <age>    Filesystem",
      ],
    ],
    [
      "get sc,csidriver,csinode,volumeattachment",
      [
        "NAME                                         PROVISIONER                RECLAIMPOLICY   VOLUMEBINDINGMODE   ALLOWVOLUMEEXPANSION   AGE",
        "storageclass.storage.k8s.io/fast (default)   hostpath.csi.example.com   Delete          Immediate           true                   <age>",
        "",
        "NAME                                                ATTACHREQUIRED   PODINFOONMOUNT   STORAGECAPACITY   TOKENREQUESTS   REQUIRESREPUBLISH   MODES        AGE",
        "csidriver.storage.k8s.io/hostpath.csi.example.com   true             false            false             <unset>         false               Persistent   <age>",
        "",
        "NAME                            DRIVERS   AGE",
        "csinode.storage.k8s.io/node-1   1         <age>",
        "",
        "NAME                                  ATTACHER                   PV     NODE     ATTACHED   AGE",
        "volumeattachment.storage.k8s.io/va-1  hostpath.csi.example.com   pv-1   node-1   false      <age>",
      ],
    ],
    [
      "get all --show-labels",
      [
        "NAME     READY   STATUS    RESTARTS   AGE   LABELS",
        "pod/db   0/1     Pending   0          <age>    app=db",
        "",
        "NAME                 TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   LABELS",
        "service/kubernetes   ClusterIP   10.0.0.1     <none>        443/TCP   <age>    component=apiserver,provider=kubernetes",
        "",
        "NAME                    SIZE   AGE   LABELS",
        "gadget.example.com/g1   3      <age>    <none>",
      ],
    ],
    ["get pvc -A -l app=db -o name", ["persistentvolumeclaim/data"]],
    ["get pods -A --field-selector spec.nodeName=node-1 --no-headers", ["default   db    0/1   Pending   0     <age>"]],
    ["get ga g1", ["NAME   SIZE   AGE", "g1     3      <age>"]],
    [
      "get pvc --sort-by=.spec.resources.requests.storage",
      [
        "NAME      STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE",
        "scratch   Pending                                      fast           <unset>                 <age>",
        "data      Pending   pv-1     0                         fast           <unset>                 <age>",
      ],
    ],
    ["get pvc -o custom-columns=N:.metadata.name,S:.spec.storageClassName", ["N         S", "data      fast", "scratch   fast"]],
    ["get pv pv-1 -o jsonpath={.spec.csi.driver}", ["hostpath.csi.example.com"]],
    [
      "get lease leader -o yaml",
      [
        "apiVersion: coordination.k8s.io/v1",
        "kind: Lease",
        "metadata:",
        '  creationTimestamp: "<time>"',
        "  name: leader",
        "  namespace: default",
        "  resourceVersion: <version>",
        "  uid: <uid>",
        "spec:",
        "  holderIdentity: me",
        "  leaseDurationSeconds: 15",
      ],
    ],
    ["get pvc -o jsonpath={.items[*].metadata.name}", ["data scratch"]],
    [
      "get events",
      [
        "LAST SEEN   TYPE     REASON         OBJECT                       MESSAGE",
        "<age>        Normal   Provisioning   persistentvolumeclaim/data   making a volume",
      ],
    ],
    [
      "events --for pvc/data",
      [
        "LAST SEEN            TYPE     REASON         OBJECT                       MESSAGE",
        "<age> (x2 over <age>)   Normal   Provisioning   PersistentVolumeClaim/data   making a volume",
      ],
    ],
    ["get --raw /readyz", ["ok"]],
  ];
  test.each([...printed])("%s", async (args, lines) => {
    expect(withoutPadding(await world.kubectl.says(args))).toEqual(lines.map((line) => withoutPadding(line)[0] ?? ""));
  });

  /** How wide a column is depends on ages. */
  const withoutPadding = (text: string): string[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd().replace(/(?<=\S) {2,}/g, "  "));

  test("get -o json gives whole objects", async () => {
    const list = JSON.parse((await world.kubectl.run("get pvc,sc -o json")).stdout);
    expect(list.items.map(({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind}/${metadata.name}`)).toEqual([
      "PersistentVolumeClaim/data",
      "PersistentVolumeClaim/scratch",
      "StorageClass/fast",
    ]);
  });

  test("missing objects and kinds are reported", async () => {
    expect(await world.kubectl.refuses("get pvc nope")).toBe('Error from server (NotFound): persistentvolumeclaims "nope" not found\n');
    expect(await world.kubectl.refuses("get nothing")).toBe('error: the server doesn\'t have a resource type "nothing"\n');
    expect((await world.kubectl.run("get cm -l no=such")).stderr).toBe("No resources found in default namespace.\n");
  });

  test("--watch prints what is there, then every change; --watch-only the changes alone", async () => {
    await using all = world.kubectl.start("get lease leader --watch");
    await using changes = world.kubectl.start("get lease --watch-only -o name");
    await using events = world.kubectl.start("events --watch --for pvc/data");
    await all.prints("leader   me");
    await events.prints("making a volume");
    // What changes from now on reaches both.
    await until("two watches of leases", async () => (await world.cluster.requests({ resource: "leases", verb: "watch" })).length >= 2);
    await world.kubectl.says(["patch", "lease", "leader", "--type=merge", "-p", '{"spec":{"holderIdentity":"you"}}']);
    await all.prints("leader   you");
    await changes.prints("lease.coordination.k8s.io/leader");
    expect(all.output.match(/NAME/g)).toHaveLength(1);
    expect(changes.output).toBe("lease.coordination.k8s.io/leader\n");
  });
});
