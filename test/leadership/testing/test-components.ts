import {
  aborted,
  type Component,
  type ComponentContext,
  component,
  kubeApiFlags,
  type Running,
  sidecarFlagNames,
} from "@csi-sidecars/host";

export type TestContext = ComponentContext<typeof kubeApiFlags>;

/** A component under the lease that does what a test says; its legacy lease is its own. */
export function testComponent(name: string, start: (context: TestContext) => Promise<Running>): Component<typeof kubeApiFlags> {
  return component({
    name,
    standalone: `csi-${name}`,
    onByDefault: true,
    flags: kubeApiFlags,
    processFlags: sidecarFlagNames,
    leadership: "required",
    kube: true,
    driver: "ready",
    legacyLease: (driver) => `external-${name}-${driver}`,
    rbac: () => ({ cluster: [], namespaced: [] }),
    start,
  });
}

/** Runs until it is told to stop. */
export const idle = async ({ signal }: TestContext): Promise<Running> => ({ done: aborted(signal) });
