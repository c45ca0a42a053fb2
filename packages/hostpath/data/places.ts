import { join } from "node:path";

/** Where the data of a volume is: always below the state directory, whatever a state file from elsewhere says. */
export const volumePlace = (stateDir: string, id: string): string => join(stateDir, id);

/** Where the data of a snapshot is. */
export const snapshotPlace = (stateDir: string, id: string): string => join(stateDir, `${id}.snap`);

/** Whether an id can be a name in the state directory: it neither leaves it nor is it that of something else there. */
export const canBePlace = (id: string): boolean => id !== "" && !/[/\0]|^\.|^state\.|\.snap$/.test(id);
