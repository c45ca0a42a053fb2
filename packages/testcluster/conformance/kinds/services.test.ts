import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const services = "/api/v1/namespaces/default/services";
const service = (name: string, spec: object) => ({ metadata: { name }, spec });
const usual = {
  internalTrafficPolicy: "Cluster",
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
  sessionAffinity: "None",
  type: "ClusterIP",
};

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a headless service is complete",
    [
      [
        `POST ${services}`,
        service("headless", { clusterIP: "None", ports: [{ port: 80 }], selector: { a: "b" } }),
        "201",
        {
          spec: {
            ...usual,
            clusterIP: "None",
            clusterIPs: ["None"],
            ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
            selector: { a: "b" },
          },
          "status.loadBalancer": {},
        },
      ],
      [`MERGE ${services}/headless`, { spec: { selector: { a: "c" } } }, "200", { "spec.selector": { a: "c" }, "spec.clusterIP": "None" }],
      [`DELETE ${services}/headless`, undefined, "200", { kind: "Service" }],
    ],
  ],
  [
    "a name for something outside has no address",
    [
      [
        `POST ${services}`,
        service("outside", { type: "ExternalName", externalName: "example.com" }),
        "201",
        { "spec.clusterIP": undefined },
      ],
    ],
  ],
  [
    "a service without ports is refused",
    [[`POST ${services}`, service("bare", {}), '422 Invalid: Service "bare" is invalid: spec.ports: Required value']],
  ],
];
test.each([...scenarios])("%s", async (_, steps) => {
  await follow(file.admin, steps);
});

test("every service has an address of its own, and keeps it", async () => {
  const addressOf = async (name: string) => (await file.admin.get(`${services}/${name}`)).body.spec.clusterIP;
  for (const name of ["one", "two"]) await file.admin.post(services, service(name, { ports: [{ port: 80 }] }));
  const [one, two, own] = await Promise.all([addressOf("one"), addressOf("two"), addressOf("kubernetes")]);
  expect(new Set([one, two, own]).size).toBe(3);
  expect([own, one]).toEqual(["10.0.0.1", expect.stringMatching(/^10\.0\.\d+\.\d+$/)]);
  const { body } = await file.admin.get(`${services}/one`);
  const { clusterIP: _address, clusterIPs: _addresses, ...spec } = body.spec;
  const replaced = await file.admin.put(`${services}/one`, { ...body, spec });
  expect([replaced.code, replaced.body.spec.clusterIP, replaced.body.spec.clusterIPs]).toEqual([200, one, [one]]);
});
