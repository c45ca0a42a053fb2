import { aborted, type Running, type SidecarProgram } from "@csi-sidecars/host";
import { fields, involved, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type TestContext, testComponent } from "./test-components.ts";

const claimFields = fields(PersistentVolumeClaim, {});

/** Says in an event on every claim in which pod it runs. */
async function greetClaims(source: string, { informers, events, env, signal }: TestContext): Promise<Running> {
  const recorder = events(source);
  const claims = informers.forFields(claimFields);
  claims.addHandler({
    onAdd: ({ metadata }) => recorder.event(involved(PersistentVolumeClaim, { metadata }), "Normal", "Greeted", env.POD_NAME ?? ""),
  });
  await claims.waitForSync(signal);
  return { done: aborted(signal) };
}

const rbac = () => ({
  cluster: [
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  ],
  namespaced: [],
});

/** A component of the driver, and one that belongs to none and has a lease of its own. */
const components = [
  testComponent("of-driver", (context) => greetClaims("of-driver", context), { rbac }),
  testComponent("of-none", (context) => greetClaims("of-none", context), {
    ...{ rbac, leadership: "own", driver: "none" },
    legacyLease: () => "of-none-leader",
  }),
];

/** A program whose processes hold two leases. */
export const twoLeases: SidecarProgram = { name: "csi-sidecars", version: "v0", form: "all-in-one", components };
