import type { Playground } from "../playground.ts";
import { createClaim, demoClass, eventAbout, type Step } from "./step.ts";

const claimName = "populated";
const reason = "UnrecognizedDataSourceKind";

/** Nobody can fill a claim from its data source: its user is told so, instead of waiting for a volume. */
export const unknownDataSource = (playground: Playground): Step => ({
  title: `Create the claim "${claimName}" with data from a Backup, a kind that no VolumePopulator announces`,
  act: () =>
    createClaim(playground, claimName, demoClass, {
      dataSourceRef: { apiGroup: "backup.example.com", kind: "Backup", name: "monday" },
    }),
  expected: "an event about the claim",
  async check() {
    const message = await eventAbout(playground, claimName, reason);
    return message && `${reason}: ${message}`;
  },
});
