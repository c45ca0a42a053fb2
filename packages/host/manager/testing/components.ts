import { fields, PersistentVolume } from "@csi-sidecars/kube";
import { type Component, type ComponentContext, component, type Running } from "../../component.ts";
import { duration, text } from "../../flags/flag-types.ts";
import { kubeApiFlags, sidecarFlagNames } from "../../flags/standard-flags.ts";
import { aborted } from "../../signals.ts";

const flags = {
  ...kubeApiFlags,
  timeout: duration("10s", "Limit of a call.", { follows: "timeout" }),
  "health-endpoint": text("", "A listener of its own."),
};

export type FakeTable = typeof flags;
export type FakeContext = ComponentContext<FakeTable>;

/** All volumes, by name. */
export const volumeFields = fields(PersistentVolume, { spec: { capacity: true } });

/** A component that runs until it is told to stop, and remembers how often it was started. */
export interface FakeComponent extends Component<FakeTable> {
  readonly contexts: FakeContext[];
}

/** Differs from the usual component in what a test is about. */
export function fake(name: string, differs: Partial<Component<FakeTable>> = {}): FakeComponent {
  const contexts: FakeContext[] = [];
  const descriptor = component<FakeTable>({
    name,
    standalone: `csi-${name}`,
    onByDefault: true,
    flags,
    processFlags: [...sidecarFlagNames, "feature-gates"],
    leadership: "required",
    kube: false,
    driver: "ready",
    legacyLease: (driver) => `external-${name}-leader-${driver}`,
    identityTimeoutMs: ({ timeout }) => timeout,
    rbac: () => ({ cluster: [], namespaced: [] }),
    start: runUntilStopped,
    ...differs,
  });
  return {
    ...descriptor,
    contexts,
    start(context) {
      contexts.push(context);
      return descriptor.start(context);
    },
  };
}

export const runUntilStopped = async ({ signal }: FakeContext): Promise<Running> => ({ done: aborted(signal) });

/** Follows all volumes, and is started when it knows them. */
export const followVolumes = async ({ informers, signal }: FakeContext): Promise<Running> => {
  await informers.forFields(volumeFields).waitForSync(signal);
  return { done: aborted(signal) };
};

/** What livenessprobe is to the manager. */
export function fakeProbe(differs: Partial<Component<FakeTable>> = {}): FakeComponent {
  return fake("probe", {
    leadership: "none",
    driver: "unknown",
    servesDriverLiveness: true,
    healthPrecedence: 2,
    ownEndpoint: ({ healthEndpoint }) => (healthEndpoint === "" ? undefined : { address: healthEndpoint, flag: "health-endpoint" }),
    async start({ driver, health, signal }) {
      health(async () => {
        try {
          const { ready = true } = await driver.client.identity.probe({}, { timeoutMs: 1_000 });
          return ready ? { status: 200, body: "ok" } : { status: 500, body: "driver responded but is not ready" };
        } catch (error) {
          return { status: 500, body: String(error) };
        }
      });
      return { done: aborted(signal) };
    },
    ...differs,
  });
}
