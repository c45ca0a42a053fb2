import { realProcessEnv, runProgram } from "@csi-sidecars/host";
import { testComponent } from "./test-components.ts";

/** Runs, and holds the event loop from then on. */
const looping = testComponent("looping", async ({ clock }) => {
  clock.after(1, () => {
    process.stderr.write("the loop begins\n");
    for (;;);
  });
  return { done: new Promise(() => {}) };
});

const program = { name: "csi-sidecars", version: "v0", form: "all-in-one", components: [looping] } as const;
void runProgram(program, realProcessEnv()).then((code) => process.exit(code));
