/** A promise and what settles it: `Promise.withResolvers`, which Node 20 does not have. */
export function deferred<T>(): PromiseWithResolvers<T> {
  let settle: Omit<PromiseWithResolvers<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error("a promise runs its executor at once");
  return { promise, ...settle };
}
