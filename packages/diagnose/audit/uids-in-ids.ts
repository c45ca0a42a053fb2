/**
 * Finds the object whose uid is in an id of the storage. Most drivers keep the name that they are called with, which has the uid of a claim or a
 * snapshot in it, with or without dashes.
 */
export function findByUid<T>(objects: readonly T[], uidOf: (object: T) => string | undefined): (id: string) => T | undefined {
  const byUid = new Map<string, T>();
  for (const object of objects) {
    const uid = uidOf(object);
    if (uid) byUid.set(uid, object).set(uid.replaceAll("-", ""), object);
  }
  const lengths = new Set([...byUid.keys()].map(({ length }) => length));
  return (id) => {
    for (const length of lengths) {
      for (let at = 0; at + length <= id.length; at++) {
        const object = byUid.get(id.slice(at, at + length));
        if (object) return object;
      }
    }
    return undefined;
  };
}
