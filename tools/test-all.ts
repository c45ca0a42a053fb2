// Runs every test on the embedded API server, in two processes beside each other: what `npm test` does in one, in less time.
import { testFiles, testInTwo } from "./test-in-two.ts";

process.exitCode = await testInTwo(testFiles(), ["--timeout", "30000", ...process.argv.slice(2)]);
