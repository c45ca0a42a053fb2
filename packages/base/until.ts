/**
 * Waits in a test until `look` finds something that is neither `undefined` nor `false`, and returns it. Where `what` is a function, it
 * tells at the end what was seen instead.
 *
 * ```ts
 * await until("the volume is attached", async () => (await client.get(VolumeAttachment, ref)).status?.attached);
 * ```
 */
export async function until<T>(
  what: string | (() => string),
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 20_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > limit) throw new Error(`waited ${limitMs} ms in vain for: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
