import { expect, test } from "bun:test";
import { describeKubectl } from "./testing/kubectl.ts";
import { settle } from "./testing/kubectl-world.ts";

describeKubectl("describe", settle, (world) => {
  /** What is described, and lines of it in their order. */
  const described: readonly [what: string, lines: readonly string[]][] = [
    [
      "pvc data",
      [
        "Name: data",
        "Namespace: default",
        "StorageClass: fast",
        "Status: Pending",
        "Volume: pv-1",
        "Labels: app=db",
        "Finalizers: [kubernetes.io/pvc-protection]",
        "Capacity: 0",
        "VolumeMode: Filesystem",
        "Used By: db",
        "Events: <none>",
      ],
    ],
    [
      "pv pv-1",
      [
        "Name: pv-1",
        "Finalizers: [kubernetes.io/pv-protection]",
        "StorageClass: fast",
        "Status: Pending",
        "Claim: default/data",
        "Reclaim Policy: Retain",
        "Access Modes: RWO",
        "Capacity: 1Gi",
        "Term 0: zone in [a]",
        "Type: CSI (a Container Storage Interface (CSI) volume source)",
        "Driver: hostpath.csi.example.com",
        "VolumeHandle: handle-1",
        "VolumeAttributes: a=b",
      ],
    ],
    [
      "sc fast",
      [
        "Name: fast",
        "IsDefaultClass: Yes",
        "Provisioner: hostpath.csi.example.com",
        "Parameters: pool=ssd",
        "AllowVolumeExpansion: True",
        "ReclaimPolicy: Delete",
        "VolumeBindingMode: Immediate",
        "Events: <none>",
      ],
    ],
    [
      "volumeattachment va-1",
      [
        "Name: va-1",
        "Kind: VolumeAttachment",
        "Attacher: hostpath.csi.example.com",
        "Node Name: node-1",
        "Persistent Volume Name: pv-1",
        "Attached: false",
      ],
    ],
    [
      "csinode node-1",
      ["Name: node-1", "Drivers:", "hostpath.csi.example.com:", "Node ID: node-1", "Allocatables:", "Count: 5", "Topology Keys: [zone]"],
    ],
    [
      "csidriver hostpath.csi.example.com",
      ["Name: hostpath.csi.example.com", "Kind: CSIDriver", "Attach Required: true", "Fs Group Policy: ReadWriteOnceWithFSType"],
    ],
    [
      "node node-1",
      [
        "Name: node-1",
        "Labels: zone=a",
        "Unschedulable: false",
        "Capacity:",
        "cpu: 2",
        "memory: 1Gi",
        "pods: 10",
        "Non-terminated Pods: (1 in total)",
        "default db 0 (0%) 0 (0%) 0 (0%) 0 (0%) <age>",
      ],
    ],
    [
      "pod db",
      [
        "Name: db",
        "Node: node-1/",
        "Labels: app=db",
        "Status: Pending",
        "main:",
        "Image: db:1",
        "/data from data (rw)",
        "ClaimName: data",
        "ReadOnly: false",
      ],
    ],
    [
      "csistoragecapacity capacity-1",
      ["Name: capacity-1", "Capacity: 10Gi", "Kind: CSIStorageCapacity", "Match Labels:", "Zone: a", "Storage Class Name: fast"],
    ],
    ["lease leader", ["Name: leader", "Kind: Lease", "Holder Identity: me", "Lease Duration Seconds: 15"]],
    ["gadget g1", ["Name: g1", "API Version: example.com/v1", "Kind: Gadget", "Size: 3", "Events: <none>"]],
    ["crd gadgets.example.com", ["Name: gadgets.example.com", "Kind: CustomResourceDefinition", "Type: Established"]],
    [
      "svc kubernetes",
      ["Name: kubernetes", "Labels: component=apiserver", "provider=kubernetes", "Type: ClusterIP", "IP: 10.0.0.1", "Port: https 443/TCP"],
    ],
  ];
  test.each([...described])("%s", async (what, lines) => {
    const { code, stdout, stderr } = await world.kubectl.run(`describe ${what}`);
    expect([code, stderr]).toEqual([0, ""]);
    const said = squeezed(stdout);
    let from = 0;
    for (const line of lines) {
      const at = said.indexOf(line, from);
      if (at < 0) throw new Error(`"${line}" is not where it should be in:\n${said.join("\n")}`);
      from = at + 1;
    }
  });

  test("the events of an object are found by its uid", async () => {
    const uid = await world.kubectl.run("get pvc data -o jsonpath={.metadata.uid}");
    await world.kubectl.says(["patch", "event", "data.1", "-p", JSON.stringify({ involvedObject: { uid: uid.stdout } })]);
    expect(squeezed((await world.kubectl.run("describe pvc data")).stdout)).toContain(
      "Normal Provisioning <age> (x2 over <age>) provisioner making a volume",
    );
  });

  const squeezed = (text: string): string[] =>
    text.split("\n").map((line) =>
      line
        .trim()
        .replace(/\s+/g, " ")
        .replace(/(?<= |^)(?:\d+[smhdy])+(?=[ )]|$)/g, "<age>")
        .replace(/ over (?:\d+[smhdy])+\)/, " over <age>)"),
    );
});
