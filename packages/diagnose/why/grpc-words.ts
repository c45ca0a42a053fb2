import { Code, type CodeName } from "@csi-sidecars/csi";
import { plain } from "./plain-text.ts";
import { sidecarRemedy } from "./sidecar-words.ts";

/** What the driver was asked to do. */
export type DriverWork = "create" | "delete" | "attach" | "detach" | "expand" | "modify";

/** An error of a driver in plain words. */
export interface Translated {
  readonly code?: CodeName;
  readonly meaning: string;
  readonly remedy: string;
}

interface Words {
  readonly meaning: string;
  readonly remedy: string;
}

const readLog = "read the driver's log at that time";

const general: Readonly<Record<CodeName, Words>> = {
  OK: { meaning: "the driver reported an error without one", remedy: readLog },
  Canceled: { meaning: "the call was broken off, as when a sidecar is stopped; it is repeated", remedy: "wait for the next try" },
  Unknown: { meaning: "the driver failed and does not say of what kind the error is", remedy: readLog },
  InvalidArgument: {
    meaning: "the driver refuses the request as it is; repeating it will not help",
    remedy: "change what it complains of: parameters of the class, size, access mode",
  },
  DeadlineExceeded: {
    meaning: "the driver did not answer in time; it may still be at work, and the call is repeated",
    remedy: "look whether driver and storage are slow or hang; if they are merely slow, raise --timeout",
  },
  NotFound: {
    meaning: "the storage does not have what the request names",
    remedy: "look in the storage for the volume, node or source that is named",
  },
  AlreadyExists: {
    meaning: "the storage has something else under that name",
    remedy: "look in the storage for the volume of that name; it was made with other parameters",
  },
  PermissionDenied: {
    meaning: "the storage does not let the driver do this",
    remedy: "check the credentials and permissions that the driver has at the storage",
  },
  ResourceExhausted: { meaning: "the storage has no room left, or a quota is used up", remedy: "free or add capacity, or raise the quota" },
  FailedPrecondition: {
    meaning: "something must be done or undone before the driver can do this",
    remedy: "do what the message says, then it is tried again",
  },
  Aborted: {
    meaning: "another operation on the same volume is under way; it is tried again",
    remedy: "wait; if it stays so, restart the driver",
  },
  OutOfRange: {
    meaning: "the size asked for is not one the storage offers",
    remedy: "ask for a size within the limits of the storage",
  },
  Unimplemented: { meaning: "the driver cannot do this", remedy: "use another driver or class, or do without" },
  Internal: { meaning: "the driver failed inside", remedy: readLog },
  Unavailable: {
    meaning: "the driver, or the storage behind it, is not reachable now; it is tried again",
    remedy: "check that the driver's container runs and that it reaches its storage",
  },
  DataLoss: { meaning: "the storage reports lost data", remedy: "look at the storage before anything else" },
  Unauthenticated: {
    meaning: "the storage does not accept the driver's credentials",
    remedy: "check the secret that the class or the driver's deployment names",
  },
};

const special: Partial<Readonly<Record<DriverWork, Partial<Readonly<Record<CodeName, Words>>>>>> = {
  attach: {
    ResourceExhausted: {
      meaning: "the node has as many volumes as the driver allows",
      remedy: "move pods to other nodes, or free attachments on this one",
    },
    FailedPrecondition: {
      meaning: "the volume cannot be attached as things are, as when it is attached to another node",
      remedy: "see where the volume is attached; stop the pod there first",
    },
    NotFound: {
      meaning: "the storage knows no such volume or no such node",
      remedy: "look in the storage for the volume; `csi-sidecars audit` compares all of them",
    },
  },
  create: {
    OutOfRange: {
      meaning: "the size asked for is not one the storage offers",
      remedy: "make the claim anew with a size within the limits of the storage",
    },
  },
  delete: {
    FailedPrecondition: {
      meaning: "the volume is still in use, or has snapshots that must go first",
      remedy: "delete what depends on the volume",
    },
  },
  expand: {
    FailedPrecondition: {
      meaning: "the volume cannot grow while it is in use",
      remedy: "stop the pods that use the claim until it has grown",
    },
    InvalidArgument: {
      meaning: "the driver refuses this size",
      remedy: "lower the request to a size that is offered, above the present one",
    },
  },
  modify: {
    InvalidArgument: {
      meaning: "the driver refuses the parameters of the VolumeAttributesClass",
      remedy: "name another class in spec.volumeAttributesClassName",
    },
  },
};

/** Translates the text of an event or a condition that a sidecar wrote about a driver's answer. */
export function translate(work: DriverWork, text: string): Translated {
  const name = /rpc error: code = (\w+) desc = /.exec(text)?.[1] ?? "";
  if (!isCodeName(name)) return { meaning: plain(text), remedy: sidecarRemedy(text) };
  const { meaning, remedy } = special[work]?.[name] ?? general[name];
  return { code: name, meaning, remedy };
}

function isCodeName(name: string): name is CodeName {
  return Object.hasOwn(Code, name);
}
