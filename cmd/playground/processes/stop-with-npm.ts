const lookEveryMs = 500;

/**
 * npm runs a script in a shell, and that shell passes no signal on: whoever ends `npm start` by anything but Ctrl-C leaves the script running.
 * It sees that its parent is another one then, and stops.
 */
export function stopWithNpm(env: NodeJS.ProcessEnv, stop: AbortController): void {
  if (env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid !== shell) stop.abort();
  }, lookEveryMs);
  looking.unref();
}
