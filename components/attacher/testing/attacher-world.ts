import { randomUUID } from "node:crypto";
import { type Client, type KubeObject, mergePatch, type Resource, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type CrashPoint,
  type DriverOptions,
  fastFlags,
  presets,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { attacher } from "../component.ts";
import { finalizerName } from "../driver-capabilities.ts";
import type { AttacherComponentContext, attacherFlags } from "../flags.ts";
import { attacherRules } from "../rbac.ts";
import { driverName, finalizer } from "./objects.ts";

export interface WorldOptions {
  readonly flags?: Partial<AttacherComponentContext["flags"]>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly driver?: DriverOptions;
  /** One whose name no other test has: what a shared server remembers of others is none of its business. Objects are created for it. */
  readonly ownDriver?: true;
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
  /** Without the optional rule about secrets. */
  readonly withoutSecrets?: boolean;
  /** See {@link TestedComponentOptions}. */
  readonly wrapClient?: TestedComponentOptions<typeof attacherFlags>["wrapClient"];
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface AttacherWorld extends Omit<ComponentWorld, "until" | "untilGone" | "add">, TestedComponent {
  /** The one that the driver's attachments and volumes get. */
  readonly finalizer: string;
  /** Creates an attachment with a status. */
  createAttachment(object: V1VolumeAttachment, status?: object): Promise<void>;
  until(what: (attachment: V1VolumeAttachment) => unknown, name?: string): Promise<V1VolumeAttachment>;
  untilGone<T extends KubeObject>(resource: Resource<T>, name: string): Promise<void>;
  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T>;
  /** The errors that attachments have had, in order, each as often as it was written. */
  errors(): string[];
}

/** A driver that can publish and nothing beyond: no periodic comparison disturbs the call counts. */
export const publishing = {
  ...presets.minimal,
  controller: ["PUBLISH_UNPUBLISH_VOLUME", "PUBLISH_READONLY"],
} satisfies DriverOptions["capabilities"];

export async function startWorld(options: WorldOptions = {}): Promise<AttacherWorld> {
  await using opened = new AsyncDisposableStack();
  const { driver, ownDriver = false, flags, withoutSecrets = false, ...others } = options;
  const name = ownDriver ? `csi-${randomUUID().slice(0, 8)}.example.com` : driverName;
  const volumes = ["handle1", "handle2"].map((id) => ({ id }));
  const base = opened.use(await startComponentWorld({ driver: { name, capabilities: publishing, volumes, ...driver } }));
  const { admin } = base;
  const over = new AbortController();
  const seen: string[] = [];
  const history = followErrors(admin, seen, over.signal);
  opened.defer(async () => {
    over.abort();
    await history;
  });
  const tested = await base.add(attacher, {
    ...others,
    flags: { ...fastFlags, defaultFstype: "ext4", ...flags },
    ...(withoutSecrets && { role: attacherRules.cluster.filter(({ resources }) => !resources.includes("secrets")) }),
  });

  /** An object that was made for the driver of all tests, for this one. */
  const own = <T>(object: T): T => {
    if (!ownDriver) return object;
    return JSON.parse(JSON.stringify(object).replaceAll(finalizer, finalizerName(name)).replaceAll(driverName, name));
  };

  const disposing = opened.move();
  return {
    ...base,
    ...tested,
    get dead() {
      return tested.dead;
    },
    finalizer: finalizerName(name),
    create: (resource, object) => admin.create(resource, own(object)),
    async createAttachment(object, status) {
      await admin.create(VolumeAttachment, own(object));
      const ref = { name: object.metadata?.name ?? "" };
      if (status) await admin.patch(VolumeAttachment, ref, mergePatch({ status }), { subresource: "status" });
    },
    until: (what, name = "va") => base.until(VolumeAttachment, { name }, what),
    untilGone: (resource, name) => base.untilGone(resource, { name }),
    get: (resource, name) => admin.get(resource, { name }),
    errors: () => seen,
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
}

/** Notes every error of an attachment that appears or disappears. */
async function followErrors(admin: Client, errors: string[], signal: AbortSignal): Promise<void> {
  const last = new Map<string, string>();
  try {
    for await (const { type, object } of await admin.watch(VolumeAttachment, { resourceVersion: "0", signal })) {
      if (type !== "ADDED" && type !== "MODIFIED") continue;
      for (const [kind, error] of Object.entries({ attach: object.status?.attachError, detach: object.status?.detachError })) {
        const key = `${object.metadata?.uid}/${kind}`;
        const code = error?.errorCode === undefined ? "" : ` (${error.errorCode})`;
        const text = error ? `${kind}: ${error.message}${code}` : "";
        if (text !== (last.get(key) ?? "")) errors.push(text || `${kind}: none`);
        last.set(key, text);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
