import { LeaderElector } from "@csi-sidecars/kube";
import type { Leadership, LeadershipEnd, LeadOptions } from "./leadership.ts";
import { controllersAnnotation, warnAboutOthers } from "./other-controllers.ts";

/** Runs for the lease of a process. See {@link LeadOptions}. */
export function lead(options: LeadOptions): Leadership {
  const { controllers, events, metrics, random, signal } = options;
  const elector = new LeaderElector({
    client: options.client,
    lease: options.lease,
    identity: options.identity,
    timing: options.timing,
    labels: options.labels,
    mayRelease: options.mayRelease,
    clock: options.clock,
    log: options.log,
    ...(controllers && { annotations: { [controllersAnnotation]: [...controllers].sort().join(",") } }),
    ...(controllers && { onObserved: warnAboutOthers(controllers, options.identity, options.log) }),
    ...(events && { events }),
    ...(metrics && { metrics }),
    ...(random && { random }),
    onStartedLeading: (_, leading) => options.started(leading),
  });
  return {
    mayAct: () => elector.mayAct(),
    check: () => elector.check(),
    ended: elector.run(signal).catch((error): LeadershipEnd => ({ reason: "lost", because: String(error) })),
  };
}
