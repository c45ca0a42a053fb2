/**
 * The smallest input found that still fails, by leaving out ever smaller parts. Stops after `limitMs`, since a case that fails by
 * taking too long takes long every time.
 */
export async function minimise(input: Uint8Array, fails: (input: Uint8Array) => Promise<boolean>, limitMs: number): Promise<Uint8Array> {
  const limit = performance.now() + limitMs;
  let smallest = input;
  for (let size = Math.ceil(input.length / 2); size >= 1 && performance.now() < limit; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && performance.now() < limit; ) {
      const without = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await fails(without)) smallest = without;
      else at += size;
    }
  }
  return smallest;
}
