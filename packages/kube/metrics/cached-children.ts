/** Makes each labelled child of a metric family once: looking it up must cost next to nothing per request. */
export function cachedChildren<K, C>(make: (key: K) => C): (key: K) => C {
  const children = new Map<K, C>();
  return (key) => {
    let child = children.get(key);
    if (child === undefined) {
      child = make(key);
      children.set(key, child);
    }
    return child;
  };
}
