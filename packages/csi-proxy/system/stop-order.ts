/**
 * The order in which to stop a service and all running services that need it: each comes after every one that needs it, the service
 * itself last, and none twice. `activeDependents` names the direct dependents that have not stopped.
 */
export async function stopOrder(name: string, activeDependents: (name: string) => Promise<readonly string[]>): Promise<readonly string[]> {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = async (name: string): Promise<void> => {
    const key = name.toLowerCase();
    if (seen.has(key)) return;
    seen.add(key);
    for (const dependent of await activeDependents(name)) await visit(dependent);
    order.push(name);
  };
  await visit(name);
  return order;
}
