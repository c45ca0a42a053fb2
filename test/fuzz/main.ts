// Fuzzing of everything that reads input from outside: `npm run fuzz -- --target http-parser --seconds 600`.
import { parseArgs } from "node:util";
import { fuzz } from "./engine/run.ts";
import { targets } from "./targets/targets.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    seconds: { type: "string", default: "10" },
    seed: { type: "string", default: process.env.SEED ?? String(Date.now() % 1e9) },
    case: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
if (values.help || chosen.length === 0) {
  console.log("npm run fuzz -- [--target name] [--seconds 10] [--seed n] [--case n]\n\nThe seconds are for each target. Targets:");
  for (const { name, about } of targets) console.log(`  ${name.padEnd(16)} ${about}`);
  process.exit(values.help ? 0 : 2);
}
for (const target of chosen) {
  const only = values.case === undefined ? undefined : Number(values.case);
  const options = { seed: Number(values.seed), seconds: Number(values.seconds), print: console.log };
  if (!(await fuzz(target, { ...options, ...(only !== undefined && { only }) }))) process.exit(1);
}
process.exit(0);
