import { describe } from "bun:test";
import { missing, seen, unseen } from "./look.ts";
import { table } from "./testing/claim-cases.ts";
import { claim, claimFacts, storageClass } from "./testing/objects.ts";

describe("the class", () => {
  table([
    [
      "does not exist",
      claimFacts(claim(), { storageClass: missing }),
      ["failed", "the claim names class fast, which does not exist", "create class fast"],
    ],
    [
      "is not named, and there is no default",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: seen([]) }),
      ["failed", "the claim names no class, and the cluster has no default class", "mark a class as the default"],
    ],
    [
      "is not named, and there is a default",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: seen([storageClass()]) }),
      ["waiting", "the claim names no class, and has yet to be given the default class fast"],
    ],
    [
      "is not named, and classes may not be read",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: unseen }),
      ["waiting", "the claim names no class"],
    ],
  ]);
});
