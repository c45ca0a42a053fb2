import { medianResult, type Result } from "../shared/result.ts";
import type { RunningDriver } from "./running-driver.ts";

const rounds = 5;

type Page = { readonly entries: readonly unknown[]; readonly nextToken: string };

/** How long it takes to read a whole list page by page, and what it costs the driver. */
export async function measureList(
  driver: RunningDriver,
  what: "ListVolumes" | "ListSnapshots",
  expected: number,
  pageSize: number,
): Promise<Result[]> {
  const { controller } = driver.client;
  const page = (startingToken: string): Promise<Page> =>
    what === "ListVolumes"
      ? controller.listVolumes({ maxEntries: pageSize, startingToken })
      : controller.listSnapshots({ maxEntries: pageSize, startingToken });
  const times: number[] = [];
  const cpuBefore = driver.cpuSeconds;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    let [seen, token] = [0, ""];
    do {
      const { entries, nextToken } = await page(token);
      seen += entries.length;
      token = nextToken;
    } while (token);
    if (seen !== expected) throw new Error(`${what} gave ${seen} entries instead of ${expected}`);
    times.push(performance.now() - began);
  }
  const name = `${what}, all ${expected.toLocaleString("en-US")}, ${pageSize === 0 ? "one page" : `pages of ${pageSize}`}`;
  return [
    medianResult(`${name}: time`, "ms", times),
    { what: `${name}: CPU`, value: ((driver.cpuSeconds - cpuBefore) * 1000) / rounds, unit: "ms" },
  ];
}
