// Fuzzes a reader that takes 320 MiB: `at-once` for its third input, which frees it again, or `kept`, a fifth for each of the first inputs.
import { fuzz } from "../run.ts";

const mib = 1024 * 1024;
const [, , greed] = process.argv;
const kept: Buffer[] = [];
let inputs = 0;

const passed = await fuzz(
  {
    name: greed ?? "",
    about: "",
    tokens: ["x"],
    maxBytes: 8,
    generate: () => Buffer.from("x"),
    open: () => ({
      async check() {
        inputs++;
        if (greed === "kept" && kept.length < 5) kept.push(Buffer.alloc(64 * mib, 1));
        if (greed === "at-once" && inputs === 3) Buffer.alloc(320 * mib, 1);
        // A slow one: it gets few inputs.
        await Bun.sleep(10);
      },
    }),
  },
  { seed: 1, seconds: 1, print: console.log },
);
process.exit(passed ? 0 : 1);
