import { describe } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import { table } from "../testing/claim-cases.ts";
import { claim, observedClaim, storageClass } from "../testing/objects.ts";

describe("the class", () => {
  table([
    [
      "does not exist",
      observedClaim(claim(), { storageClass: missing }),
      ["failed", "the claim names class fast, which does not exist", "create class fast"],
    ],
    [
      "is not named, and there is no default",
      observedClaim(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: found([]) }),
      ["failed", "the claim names no class, and the cluster has no default class", "mark a class as the default"],
    ],
    [
      "is not named, and there is a default",
      observedClaim(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: found([storageClass()]) }),
      ["waiting", "the claim names no class, and is not assigned the default class fast yet"],
    ],
    [
      "is not named, and classes may not be read",
      observedClaim(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: unreadable }),
      ["waiting", "the claim names no class"],
    ],
  ]);
});
