import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { describeKubectl, kubectlFor, nothing } from "./testing/kubectl.ts";
import { gadgetDefinition } from "./testing/kubectl-world.ts";

describeKubectl("finds its way", nothing, (world) => {
  test("discovery takes two requests", async () => {
    using fresh = kubectlFor(world.cluster);
    const before = (await world.cluster.requests()).length;
    await fresh.says("get pvc,pv,sc,vac,csinodes,deploy,sts");
    const asked = (await world.cluster.requests()).slice(before).map(({ path }) => path);
    expect(asked.filter((path) => /^\/(api|apis)(\/[^/]*){0,2}$/.test(path) && !path.includes("persistent"))).toEqual(["/api", "/apis"]);
  });

  test("api-resources lists short names, scopes and verbs", async () => {
    const lines = (await world.kubectl.says("api-resources --no-headers -o wide")).split("\n").map((line) => line.replace(/ {2,}/g, " "));
    expect(lines).toContain(
      "persistentvolumeclaims pvc v1 true PersistentVolumeClaim create,delete,deletecollection,get,list,patch,update,watch",
    );
    expect(lines).toContain(
      "storageclasses sc storage.k8s.io/v1 false StorageClass create,delete,deletecollection,get,list,patch,update,watch",
    );
    expect(lines).toContain("selfsubjectrulesreviews authorization.k8s.io/v1 false SelfSubjectRulesReview create");
    expect(await world.kubectl.says("api-resources --api-group=storage.k8s.io -o name")).toBe(
      ["csidrivers", "csinodes", "csistoragecapacities", "storageclasses", "volumeattachments", "volumeattributesclasses"]
        .map((plural) => `${plural}.storage.k8s.io\n`)
        .join(""),
    );
  });

  test("a new kind is found without waiting for the discovery cache to expire", async () => {
    // A shared server may still speak of the kind of an earlier test for a moment.
    await until("gadgets are unknown", async () => {
      using fresh = kubectlFor(world.cluster);
      return (await fresh.run("get gadgets")).stderr.includes("doesn't have a resource type");
    });
    expect(await world.kubectl.refuses("get gadgets")).toContain('doesn\'t have a resource type "gadgets"');
    await world.kubectl.says("create -f -", JSON.stringify(gadgetDefinition));
    await world.kubectl.says("wait --for=condition=Established crd/gadgets.example.com --timeout=20s");
    for (const end = Date.now() + 20_000; Date.now() < end && (await world.kubectl.run("get ga")).code !== 0; ) await Bun.sleep(50);
    expect((await world.kubectl.run("get ga")).stderr).toBe("No resources found in default namespace.\n");
    const line = (await world.kubectl.says("api-resources --api-group=example.com --no-headers")).replace(/ {2,}/g, " ");
    expect(line).toBe("gadgets ga example.com/v1 true Gadget\n");
  });

  const explained: readonly [args: string, parts: readonly RegExp[]][] = [
    [
      "explain pvc",
      [
        /^KIND: +PersistentVolumeClaim\nVERSION: +v1\n/,
        /DESCRIPTION:\n +\w/,
        /\n {2}spec\t<PersistentVolumeClaimSpec>\n +\w/,
        /\n {2}metadata\t<ObjectMeta>\n/,
      ],
    ],
    [
      "explain storageclass.parameters",
      [/^GROUP: +storage.k8s.io\nKIND: +StorageClass\nVERSION: +v1\n\nFIELD: parameters <map\[string\]string>\n/],
    ],
    [
      "explain pvc.spec --recursive",
      [
        /FIELD: spec <PersistentVolumeClaimSpec>/,
        /\n {2}accessModes\t<\[\]string>\n/,
        /\n {2}resources\t<VolumeResourceRequirements>\n {4}limits\t<map\[string\]Quantity>\n {4}requests\t<map\[string\]Quantity>\n/,
      ],
    ],
    ["explain volumeattachment.spec.source", [/FIELD: source <VolumeAttachmentSource>\n/, /inlineVolumeSpec\t<PersistentVolumeSpec>/]],
    ["explain pod.spec.containers.imagePullPolicy", [/ENUM:\n {4}Always\n {4}IfNotPresent\n {4}Never\n/]],
    ["explain crd.spec.versions.schema.openAPIV3Schema", [/FIELD: openAPIV3Schema <JSONSchemaProps>/]],
  ];
  test.each([...explained])("%s", async (args, parts) => {
    const said = await world.kubectl.says(args);
    for (const part of parts) expect(said).toMatch(part);
  });

  test("an unknown field is not explained", async () => {
    expect(await world.kubectl.refuses("explain pvc.spec.nothing")).toBe('error: field "nothing" does not exist\n');
  });

  test("version, cluster-info, whoami", async () => {
    expect(await world.kubectl.says("version")).toMatch(/\nServer Version: v1\.36\.\d+/);
    const info = await world.kubectl.run(["cluster-info"]);
    expect([info.code, info.stderr]).toEqual([0, ""]);
    expect(info.stdout).toContain("Kubernetes control plane");
    expect(await world.kubectl.says("auth whoami -o jsonpath={.status.userInfo.username}{.status.userInfo.groups}")).toBe(
      'admin["system:masters","system:authenticated"]',
    );
  });

  test("auth can-i answers for the user and for an impersonated one", async () => {
    const robot = "--as=system:serviceaccount:default:robot";
    expect(await world.kubectl.says("auth can-i create pvc")).toBe("yes\n");
    expect((await world.kubectl.run(`auth can-i list pvc ${robot}`)).stdout).toBe("no\n");
    await world.kubectl.says("create serviceaccount robot");
    await world.kubectl.says("create role looks --verb=list --resource=persistentvolumeclaims");
    await world.kubectl.says("create rolebinding looks --role=looks --serviceaccount=default:robot");
    for (const end = Date.now() + 20_000; Date.now() < end && (await world.kubectl.run(`auth can-i list pvc ${robot}`)).code !== 0; )
      await Bun.sleep(50);
    expect(await world.kubectl.says(`auth can-i list pvc ${robot}`)).toBe("yes\n");
    const rules = (await world.kubectl.says(`auth can-i --list --no-headers ${robot}`))
      .split("\n")
      .map((line) => line.replace(/ {2,}/g, " "));
    expect(rules).toContain("persistentvolumeclaims [] [] [list]");
    expect(rules).toContain("selfsubjectreviews.authentication.k8s.io [] [] [create]");
    expect(rules).toContain(" [/api/*] [] [get]");
    expect(await world.kubectl.refuses(`get pods ${robot}`)).toBe(
      'Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"\n',
    );
    const user = world.cluster.newUser();
    using plain = kubectlFor(world.cluster, user.token);
    expect(await plain.refuses("get --raw /api --as=admin")).toMatch(
      /^Error from server \(Forbidden\): .*User "user-\d+" cannot impersonate/,
    );
  });

  test("create token is for the service account", async () => {
    await world.kubectl.says("create serviceaccount visitor");
    using visitor = kubectlFor(world.cluster, (await world.kubectl.says("create token visitor")).trim());
    expect(await visitor.says("auth whoami --output=jsonpath={.status.userInfo.username}")).toBe("system:serviceaccount:default:visitor");
  });

  test("what the embedded cluster does not support is refused with a reason", async () => {
    await world.kubectl.says("run idle --image=idle:1");
    expect(await world.kubectl.refuses("exec idle -- ls")).toMatch(/^(error|Error from server)/);
    if (world.cluster.flavour === "real") return;
    expect(await world.kubectl.refuses("logs idle")).toBe(
      'Error from server (NotFound): pods "idle": there are no logs: no container runs in this cluster\n',
    );
  });
});
