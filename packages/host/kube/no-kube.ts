import type { Client, EventRecorder, Informers } from "@csi-sidecars/kube";

/** What a component gets that declared to need no API server: errors that say so. */
export function noKube(component: string): {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: () => EventRecorder;
} {
  const mistake = () => new Error(`${component} declares that it needs no API server, but asks for it`);
  const reject = async (): Promise<never> => {
    throw mistake();
  };
  const fail = (): never => {
    throw mistake();
  };
  return {
    client: {
      get: reject,
      list: reject,
      watch: reject,
      create: reject,
      update: reject,
      patch: reject,
      delete: reject,
      discover: reject,
      raw: reject,
    },
    informers: { forFields: fail },
    events: fail,
  };
}
